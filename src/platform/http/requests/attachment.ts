/**
 * `Content-Disposition` for a download. `filename*` has the name itself; clients that don't know it (curl -J) read
 * `filename`, which is ASCII.
 */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]+/g, '_').replaceAll(/["\\%/]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
