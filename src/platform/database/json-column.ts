/** JSON is stored as text on both databases, so that stores need no code per database. */
export function toJson(value: unknown): string {
  return JSON.stringify(value ?? null);
}

export function fromJson<Value>(text: string): Value;
export function fromJson<Value>(text: string | null): Value | null;
export function fromJson<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value);
}
