import type { WorkProgress } from '../../platform/queue/work-item.ts';

/** The trainer's Python environment, as far as converting needs it. */
export interface PythonTools {
  /** Where environments are kept, and what belongs to them. */
  readonly folder: string;
  /** Makes the environment where it is not there yet; gives its Python, or throws with the reason. */
  prepare(watch: {
    signal: AbortSignal;
    onLine?(line: { event: string; message?: string }): void;
  }): Promise<string>;
  /** Runs a program with none of the platform's secrets; however it or we end, nothing of it is left. */
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
