export const answerLimit: number;
export function beforeLoop(text: string): string | undefined;
