/** Formats a log record as one readable line, followed by the indented stack of an error. */
export function prettyLine(record: Record<string, unknown>, colour: boolean): string {
  const { time, level, name, msg, err, pid: _pid, ...rest } = record;
  const paint = (code: number, text: string) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);
  const label = String(level ?? 'info');
  const parts = [
    paint(90, clockPart(time)),
    paint(LEVEL_COLOURS[label] ?? 0, label.toUpperCase().padEnd(5)),
    ...(name === undefined ? [] : [paint(90, visible(String(name)))]),
    ...(msg === undefined ? [] : [visible(String(msg))]),
    ...Object.entries(rest).map(([key, value]) => `${paint(90, `${visible(key)}=`)}${valueText(value)}`),
  ];
  return `${parts.join(' ')}${err === undefined ? '' : errorText(err)}\n`;
}

const LEVEL_COLOURS: Record<string, number> = {
  trace: 90,
  debug: 36,
  info: 32,
  warn: 33,
  error: 31,
  fatal: 35,
};

function clockPart(time: unknown): string {
  return typeof time === 'string' ? time.slice(11, 23) : '';
}

function valueText(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=\p{C}]+$/u.test(value)) return value;
  return visible(JSON.stringify(value) ?? '');
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ` err=${valueText(error)}`;
  const { stack, type, message, ...rest } = error as Record<string, unknown>;
  const details = Object.keys(rest).length > 0 ? ` ${visible(JSON.stringify(rest))}` : '';
  const text = typeof stack === 'string' ? stack : `${type ?? 'Error'}: ${message ?? ''}`;
  return `${details}\n${text
    .split('\n')
    .map((line) => `    ${visible(line)}`)
    .join('\n')}`;
}

/** Escapes control characters, so that a client's text can't move the cursor or fake a second log line. */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  );
}
