/** Reproducible sentences of 8 to 40 words. */
export function sentences(count: number): string[] {
  const words = 'the engine stands in a round house where locomotives are turned and served with coal'.split(
    ' ',
  );
  return Array.from({ length: count }, (_, number) => {
    const length = 8 + ((number * 7) % 33);
    return Array.from({ length }, (_, at) => words[(number * 3 + at * 5) % words.length]).join(' ');
  });
}
