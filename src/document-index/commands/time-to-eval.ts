/** The time that `YYYY-MM-DD HH:MM` means in the server's time zone, or with its own offset. It was checked before. */
export function timeOf(text: string): number {
  const [, day, minute, offset] = /^(\S+) (\d{2}:\d{2}) ?(\S*)$/.exec(text) ?? [];
  const zone = offset?.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2') ?? '';
  return new Date(`${day}T${minute}:00${zone}`).getTime();
}
