/** How long a pod may take to shut down after a fatal error, in milliseconds. */
const shutdownTimeout = 2_000;

/** Stops the pod and exits. A timeout forces the exit, because a broken engine may never finish stopping. */
export function endProcess(stop: () => Promise<void>, code: number): void {
  setTimeout(() => process.exit(code), shutdownTimeout);
  stop()
    .catch(() => {})
    .finally(() => process.exit(code));
}
