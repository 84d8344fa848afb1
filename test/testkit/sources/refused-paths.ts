/** Answers for requests whose address contains a text: 0 cuts the connection. */
export type RefusedPaths = Record<string, number>;

export function statusFor(refused: RefusedPaths | undefined, url = ''): number | undefined {
  const address = decodeURIComponent(url.replaceAll('+', ' '));
  return Object.entries(refused ?? {}).find(([part]) => address.includes(part))?.[1];
}
