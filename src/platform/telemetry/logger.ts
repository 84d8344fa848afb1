import pino from 'pino';
import { logOutput } from './log-output.ts';
import { prettyLine } from './pretty-line.ts';
import { redact, scrub } from './redaction.ts';

export type Logger = pino.Logger;

export interface LoggerOptions {
  level: pino.LevelWithSilent;
  format: 'json' | 'pretty';
  /** The process or service that logs. */
  name: string;
  /** Default: standard output. */
  destination?: pino.DestinationStream;
  /** Colours in the pretty format. Default: only if standard output is a terminal with colours. */
  colour?: boolean;
}

/**
 * Redacts every complete line, after serializers and child bindings have been applied, so that callers don't have to
 * know which fields could contain a secret.
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
 * A logger that writes nothing, for tests.
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
