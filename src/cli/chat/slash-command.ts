/** Runs a command of a conversation with the rest of its line, and returns its output. */
export type SlashCommand = (rest: string) => string | Promise<string>;

const quit = new Set(['bye', 'exit', 'quit']);
const help = new Set(['help', '?']);

/** Runs a line such as `/system Be brief` and returns its output; undefined means quit. */
export async function runSlashCommand(
  line: string,
  commands: ReadonlyMap<string, SlashCommand>,
  helpText: string,
): Promise<string | undefined> {
  const [, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
  if (quit.has(name)) return undefined;
  if (help.has(name)) return helpText;
  const command = commands.get(name);
  return command ? command(rest) : `Unknown command /${name}. Type /help for a list of commands.`;
}
