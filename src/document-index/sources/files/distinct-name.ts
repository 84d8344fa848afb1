import { createHash } from 'node:crypto';

/** A name that is not taken. What is added depends on the id alone, so that a document keeps its name at the next sync. */
export function distinctName(name: string, id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name.toLowerCase())) return name;
  const [, stem = name, ending = ''] = /^(.+?)(\.[a-z0-9]{1,8})?$/iu.exec(name) ?? [];
  const digest = createHash('sha256').update(id).digest('hex');
  let candidate = name;
  for (let length = 6; taken.has(candidate.toLowerCase()) && length <= digest.length; length += 6) {
    candidate = `${stem} (${digest.slice(0, length)})${ending}`;
  }
  return candidate;
}
