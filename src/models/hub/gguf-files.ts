import { BadRequest } from '../../contracts/problems.ts';
import { quantizationOf } from '../facts/gguf-quantization.ts';
import type { ListedFile } from './hub-client.ts';

/** A GGUF model of a repository: one file, or all parts of a split one. */
interface GgufSet {
  quantization: string | null;
  files: ListedFile[];
}

/** The order of preference where none is asked for. */
const preferred = [
  'Q4_K_M',
  'Q4_K_S',
  'Q5_K_M',
  'Q4_0',
  'Q4_1',
  'IQ4_XS',
  'Q5_K_S',
  'Q6_K',
  'Q8_0',
  'Q3_K_M',
  'F16',
  'BF16',
  'F32',
];

export function isGguf({ path }: ListedFile): boolean {
  // Image projectors and importance matrices are not models.
  return path.endsWith('.gguf') && !/(^|[-._/])(mmproj|imatrix)/i.test(path);
}

export function chooseGguf(
  files: readonly ListedFile[],
  asked: string | null,
  repository: string,
): ListedFile[] {
  const sets = ggufSets(files);
  const names = sets.map((set) => set.quantization ?? set.files[0]?.path).join(', ');
  if (asked === null) {
    const best = preferred.flatMap((name) => sets.filter((set) => set.quantization === name))[0];
    const chosen = best ?? (sets.length === 1 ? sets[0] : undefined);
    if (chosen) return chosen.files;
    throw new BadRequest(
      `'${repository}' has several GGUF files; ask for one of them as ${repository}:<name>, where <name> is one of ${names}`,
      {
        param: 'model_id',
      },
    );
  }
  const wanted = asked.toUpperCase();
  const matches = sets.filter((set) => set.quantization === wanted || set.files[0]?.path === asked);
  if (matches.length === 1) return matches[0]?.files ?? [];
  throw new BadRequest(
    matches.length === 0
      ? `'${repository}' has no GGUF file of quantisation ${asked}; it has: ${names || 'none'}`
      : `'${repository}' has several GGUF files of quantisation ${asked}: ${matches.map((set) => set.files[0]?.path).join(', ')}`,
    { param: 'model_id' },
  );
}

function ggufSets(files: readonly ListedFile[]): GgufSet[] {
  const sets = new Map<string, ListedFile[]>();
  for (const file of files.filter(isGguf)) {
    const name = file.path.replace(/-\d{5}-of-(\d{5})\.gguf$/, '-of-$1.gguf');
    sets.set(name, [...(sets.get(name) ?? []), file]);
  }
  return [...sets.values()].map((members) => ({
    quantization: quantizationOf(members[0]?.path ?? ''),
    files: members.sort((one, other) => one.path.localeCompare(other.path)),
  }));
}
