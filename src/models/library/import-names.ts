/**
 * Each import has its own folder: a serving model keeps its files when it is imported again, and no two ids share one.
 * The name contains the id, as far as it fits, for people who look at the disk.
 */
export function folderName(modelId: string, jobId: string): string {
  const words = modelId.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^\.+/, '');
  return `${words.slice(0, 48)}-${jobId.slice(0, 8)}`;
}

/** Whether an import made the folder, complete or not. */
export const isFolderOf = (name: string, jobId: string): boolean =>
  name.replace(/\.partial$/, '').endsWith(`-${jobId.slice(0, 8)}`);
