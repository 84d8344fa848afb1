/** How long a pod may take to say goodbye once it can't go on. */
const endLimit = 2_000;

/** Stops and ends the process, in time also where stopping never comes to an end: the engine may be what is broken. */
export function endProcess(stop: () => Promise<void>, code: number): void {
  setTimeout(() => process.exit(code), endLimit);
  stop()
    .catch(() => {})
    .finally(() => process.exit(code));
}
