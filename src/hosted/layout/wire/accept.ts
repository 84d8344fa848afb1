export type AnswerType = 'application/json' | 'text/csv' | 'multipart/mixed';

const known: readonly AnswerType[] = ['application/json', 'text/csv', 'multipart/mixed'];

/**
 * The type that a client asks for: the best of its Accept header, else `fallback`. Undefined where it accepts none of
 * ours. Unstructured's client sends `application/json;q=1, text/csv;q=0`.
 */
export function answerType(accept: string | undefined, fallback: AnswerType): AnswerType | undefined {
  if (accept === undefined || accept.trim() === '') return fallback;
  const ranges = accept.split(',').map(readRange);
  const quality = (type: AnswerType) => {
    const [family] = type.split('/');
    for (const name of [type, `${family}/*`, '*/*']) {
      const range = ranges.find((candidate) => candidate.name === name);
      if (range) return range.quality;
    }
    return 0;
  };
  const best = Math.max(...known.map(quality));
  if (best <= 0) return undefined;
  // Where several are equally welcome, the form's `output_format` decides.
  if (quality(fallback) === best) return fallback;
  return known.find((type) => quality(type) === best);
}

function readRange(text: string): { name: string; quality: number } {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const written = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const quality = written === undefined ? 1 : Number(written);
  return { name, quality: Number.isFinite(quality) ? quality : 0 };
}
