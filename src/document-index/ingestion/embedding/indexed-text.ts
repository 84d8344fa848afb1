/** What is embedded and searched of a chunk: the line that says where it stands, and its text. */
export const indexedText = ({ context, text }: { context: string; text: string }): string =>
  context === '' ? text : `${context}\n${text}`;
