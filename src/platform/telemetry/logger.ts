import pino from 'pino';
import { logOutput } from './log-output.ts';
import { prettyLine } from './pretty-line.ts';
import { redact, scrub } from './redaction.ts';

export type Logger = pino.Logger;

export interface LoggerOptions {
  level: pino.LevelWithSilent;
  format: 'json' | 'pretty';
  /** Which process or service speaks. */
  name: string;
  /** Where lines go; standard output unless given. */
  destination?: pino.DestinationStream;
  /** Colours of the pretty format; by default only where standard output is a terminal that has them. */
  colour?: boolean;
}

/**
 * Every line is redacted as a whole, after serializers and child bindings were applied, so that no caller has to know
 * which field could hold a secret.
 */
export function createLogger(options: LoggerOptions): Logger {
  const colour = options.colour ?? (process.stdout.isTTY === true && process.stdout.hasColors());
  const render =
    options.format === 'pretty'
      ? (record: Record<string, unknown>) => prettyLine(record, colour)
      : (record: Record<string, unknown>) => `${JSON.stringify(record)}\n`;
  return pino(
    {
      level: options.level,
      name: options.name,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: pino.stdSerializers.errWithCause, error: pino.stdSerializers.errWithCause },
      hooks: { streamWrite: (line) => render(safeRecord(line)) },
    },
    options.destination ??
      logOutput({
        lossLine: (count) =>
          render({
            level: 'warn',
            time: new Date().toISOString(),
            pid: process.pid,
            name: options.name,
            msg: `${count} log lines could not be written and were dropped`,
          }),
      }),
  );
}

/**
 * A logger for tests, which want none.
 * @internal
 */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}

function safeRecord(line: string): Record<string, unknown> {
  try {
    return redact(JSON.parse(line)) as Record<string, unknown>;
  } catch {
    return { level: 'error', msg: scrub(line) };
  }
}
