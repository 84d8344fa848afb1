import { similarity } from './similarity.ts';

export interface KnownLanguages {
  russian: boolean;
  /** Sentences of different languages with one meaning are near each other. */
  across: boolean;
}

const probe = [
  'Когда открывается городская библиотека?',
  'Двери читального зала отпирают в девять утра.',
  'Рыжая кошка спит на диване.',
  'The doors of the reading room are unlocked at nine in the morning.',
];

/** Finds out by a few sentences which languages an embeddings model knows. Undefined where it does not answer. */
export async function knownLanguages(
  embed: (texts: string[]) => Promise<Float32Array[] | undefined>,
): Promise<KnownLanguages | undefined> {
  const vectors = await embed(probe);
  if (!vectors) return undefined;
  const [question, answer, other, translation] = vectors;
  return {
    russian: similarity(question, answer) > similarity(question, other) + 0.15,
    across: similarity(answer, translation) > similarity(other, translation) + 0.3,
  };
}

/** Every model that is offered knows English. */
export function knows({ russian, across }: KnownLanguages, language: string): boolean {
  return across || language === 'eng' || (russian && language === 'rus');
}
