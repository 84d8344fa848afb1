/** A size for people: `512 MB`, `1.4 GB`. */
export function size(bytes: number): string {
  if (bytes >= 1e12) return `${(bytes / 1e12).toFixed(1)} TB`;
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  if (bytes >= 1e6) return `${Math.round(bytes / 1e6)} MB`;
  return `${Math.ceil(bytes / 1e3)} kB`;
}

/** A time for people, in UTC: `2027-01-31 18:00:00`. */
export const time = (iso: string) => iso.slice(0, 19).replace('T', ' ');
