import { freeName } from './document-name.ts';

/** A file of a request, stored and not yet part of a bot. */
export interface Upload {
  name: string;
  blob: string;
  type: string | null;
  bytes: number;
  sha256: string;
}

/**
 * Names are unique within a bot. Of two files with one name, the second counts only if it differs, and then gets a
 * number. `dropped` are those that don't count.
 */
export function nameUploads(uploads: readonly Upload[]): { kept: Upload[]; dropped: Upload[] } {
  const kept = new Map<string, Upload>();
  const dropped: Upload[] = [];
  // A name that was sent goes to its own file, wherever that is in the form.
  const sent = new Set(uploads.map(({ name }) => name));
  const seen = new Map<string, Set<string>>();
  for (const upload of uploads) {
    const hashes = seen.get(upload.name) ?? new Set<string>();
    seen.set(upload.name, hashes);
    if (hashes.has(upload.sha256)) dropped.push(upload);
    else if (hashes.size === 0) kept.set(upload.name, upload);
    else {
      const name = freeName(upload.name, (taken) => sent.has(taken) || kept.has(taken));
      kept.set(name, { ...upload, name });
    }
    hashes.add(upload.sha256);
  }
  return { kept: [...kept.values()], dropped };
}
