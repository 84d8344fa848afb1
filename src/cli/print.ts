/** What a command was asked for; all else it says goes to stderr, so that its output can be piped. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));
