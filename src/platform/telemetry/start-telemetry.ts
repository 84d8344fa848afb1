import { isatty } from 'node:tty';
import { programVersion } from '../version.ts';
import { createLogger, type Logger, type LoggerOptions } from './logger.ts';
import { startTracing, type Tracing } from './tracing/tracing.ts';

/** The `telemetry` section of the configuration. */
interface TelemetrySettings {
  log_format: 'auto' | 'json' | 'pretty';
  log_level: LoggerOptions['level'];
  otlp_endpoint?: string | undefined;
  otlp_headers?: string | undefined;
  trace_ratio: number;
}

/** Checks file descriptor 1 because worker threads, which call this too, have no `process.stdout.isTTY`. */
export function logFormat({ log_format }: Pick<TelemetrySettings, 'log_format'>): 'json' | 'pretty' {
  if (log_format !== 'auto') return log_format;
  return isatty(1) ? 'pretty' : 'json';
}

export function startLogging(settings: TelemetrySettings, name: string): Logger {
  return createLogger({ level: settings.log_level, format: logFormat(settings), name });
}

export function startTraces(settings: TelemetrySettings, logger: Pick<Logger, 'warn'>): Promise<Tracing> {
  return startTracing({
    endpoint: settings.otlp_endpoint,
    headers: settings.otlp_headers,
    ratio: settings.trace_ratio,
    service: 'roundhouse',
    version: programVersion,
    logger,
  });
}
