const builtInDates = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 30, 36, 45, 46, 47, 50, 57]);

export type NumberKind = 'date' | 'time' | 'date and time' | 'percent' | 'number';

/** What a number format shows. */
export function numberKind(id: number, code: string | undefined): NumberKind {
  if (code === undefined) {
    if (id === 9 || id === 10) return 'percent';
    if (id === 22) return 'date and time';
    if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47)) return 'time';
    return builtInDates.has(id) ? 'date' : 'number';
  }
  const bare =
    code
      .replace(/"[^"]*"|\\.|\[[^\]]*\]|_./g, '')
      .split(';')[0]
      ?.toLowerCase() ?? '';
  if (bare.includes('%')) return 'percent';
  const date = /[yd]|mmm/.test(bare);
  const time = /[hs]/.test(bare);
  return date && time ? 'date and time' : date ? 'date' : time ? 'time' : 'number';
}

/** A number of a sheet as text. Dates count days from 1900 (with a leap day that never was) or from 1904. */
export function shownNumber(raw: string, kind: NumberKind, from1904: boolean): string {
  const value = Number(raw);
  if (raw === '' || !Number.isFinite(value)) return raw;
  if (kind === 'percent') return `${rounded(value * 100)}%`;
  if (kind === 'number') return rounded(value);
  const days = from1904 ? value + 1_462 : value < 60 ? value + 1 : value;
  const moment = new Date(Math.round((days - 25_569) * 86_400) * 1_000);
  if (Number.isNaN(moment.getTime())) return raw;
  const [date = '', time = ''] = moment.toISOString().slice(0, 19).split('T');
  if (kind === 'date') return date;
  return kind === 'time' ? time : `${date} ${time}`;
}

const rounded = (value: number) => String(Number(value.toPrecision(15)));
