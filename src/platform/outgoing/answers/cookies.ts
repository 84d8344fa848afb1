const most = 50;

/** The cookies of one chain of redirects. Some servers give a guest a cookie and lead back to the same address. */
export function createCookies() {
  const byOrigin = new Map<string, Map<string, string>>();
  return {
    keep({ origin }: URL, lines: readonly string[]): void {
      const cookies = byOrigin.get(origin) ?? new Map<string, string>();
      for (const line of lines.slice(0, most)) {
        const [, name, value] = /^\s*([^=;\s]{1,256})\s*=\s*([^;]{0,4096})/.exec(line) ?? [];
        if (name !== undefined && cookies.size < most) cookies.set(name, value?.trim() ?? '');
      }
      byOrigin.set(origin, cookies);
    },
    for({ origin }: URL): Record<string, string> {
      const cookies = [...(byOrigin.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`);
      return cookies.length > 0 ? { cookie: cookies.join('; ') } : {};
    },
  };
}
