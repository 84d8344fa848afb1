/** File systems take no longer names, and neither do our paths. */
const longestBytes = 255;

/**
 * The name of a document: the last segment of its path, percent-decoded, without control characters, and short enough
 * for any file system. Empty where nothing is left.
 */
export function documentName(path: string): string {
  const decoded = lastSegment(decode(lastSegment(path)));
  const clean = decoded
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim();
  return /^\.*$/.test(clean) ? '' : shortened(clean);
}

/** The name of the document behind a link; its host where the path has none. */
export function nameOfLink(url: string): string {
  const { pathname, hostname } = new URL(url);
  return documentName(pathname.replace(/\/+$/, '')) || documentName(hostname);
}

/** A name that is not taken: ` (2)` before the extension, and so on. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  const { stem, extension } = split(name);
  for (let number = 2; ; number++) {
    const candidate = withEnding(stem, ` (${number})${extension}`);
    if (!isTaken(candidate)) return candidate;
  }
}

const lastSegment = (path: string) => path.split(/[/\\]/).at(-1) ?? '';

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded: `growth 50%.pdf`.
    return text;
  }
}

function shortened(name: string): string {
  if (Buffer.byteLength(name) <= longestBytes) return name;
  const { stem, extension } = split(name);
  return withEnding(stem, extension);
}

function split(name: string): { stem: string; extension: string } {
  const extension = /(?<=.)\.[^.\s]{1,16}$/u.exec(name)?.[0] ?? '';
  return { stem: name.slice(0, name.length - extension.length), extension };
}

/** Cuts the stem, by whole characters, so that both fit. */
function withEnding(stem: string, ending: string): string {
  const room = longestBytes - Buffer.byteLength(ending);
  let kept = stem;
  if (Buffer.byteLength(stem) > room) {
    kept = '';
    let bytes = 0;
    for (const character of stem) {
      bytes += Buffer.byteLength(character);
      if (bytes > room) break;
      kept += character;
    }
  }
  return kept + ending;
}
