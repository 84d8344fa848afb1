import type { WorkProgress } from '../../platform/queue/work-item.ts';

/** What conversion needs of the trainer's Python environment. */
export interface PythonTools {
  /** Where environments and their tools are kept. */
  readonly folder: string;
  /** Creates the environment where it is missing, and returns the path of its Python. */
  prepare(watch: {
    signal: AbortSignal;
    onLine?(line: { event: string; message?: string }): void;
  }): Promise<string>;
  /** Runs a program without the platform's secrets. Its child processes end with it, and with the platform. */
  run(
    python: string,
    args: string[],
    options: {
      signal: AbortSignal;
      environment?: Record<string, string>;
      onError?(text: string): void;
    },
  ): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface ConversionWatch {
  signal: AbortSignal;
  onProgress(progress: WorkProgress): void;
}
