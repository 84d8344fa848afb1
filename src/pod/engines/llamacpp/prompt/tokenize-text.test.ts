import { getLlama, type Llama, LlamaLogLevel, type LlamaModel } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smolLm2 } from '../../../../../test/testkit/models/smollm2.ts';
import { seededRandom } from '../../../../../test/testkit/random.ts';
import { tokenizeParts, type Vocabulary } from './tokenize-text.ts';

const smol = await smolLm2();

describe.skipIf(!smol.available)('a long text in slices', () => {
  let llama: Llama;
  let model: LlamaModel;
  let vocabulary: Vocabulary;
  beforeAll(async () => {
    llama = await getLlama({ build: 'never', gpu: false, maxThreads: 1, logLevel: LlamaLogLevel.disabled });
    model = await llama.loadModel({ modelPath: smol.path, vocabOnly: true });
    vocabulary = {
      tokenize: (text, special) => model.tokenize(text, special) as number[],
      controlTexts: ['<|im_start|>', '<|im_end|>', '<|endoftext|>'],
      beginning: undefined,
      longestToken: 200,
      splitsWords: true,
    };
  });
  afterAll(() => llama?.dispose());

  const inSlices = (text: string, limit = 10 ** 6) =>
    tokenizeParts(vocabulary, [{ text, literal: false }], {
      limit,
      contextLength: 2048,
      slot: async () => undefined,
    });
  const words = [
    'the',
    'don’t',
    'naïve',
    '12,345.67',
    'x=y',
    '(and)',
    'ﬁ',
    'Zürich',
    '日本',
    'foo_bar',
    '!',
    'a',
  ];
  const spaces = [' ', ' ', ' ', ' ', '  ', '\n', '\n\n', '\t', ' \n '];
  const prose = (seed: number, length: number) => {
    const random = seededRandom(seed);
    let text = '';
    while (text.length < length) text += random.pick(words) + random.pick(spaces);
    return text;
  };

  it.each([1, 2, 3])('has the tokens of the whole: prose %i', async (seed) => {
    const text = prose(seed, 60_000);
    expect(await inSlices(text)).toEqual(model.tokenize(text, true));
  });

  it('has the tokens of the whole: a conversation', async () => {
    const turn = (index: number) => `<|im_start|>user\n${prose(index, 50 + index * 10)}<|im_end|>\n`;
    const text = Array.from({ length: 60 }, (_, index) => turn(index)).join('');
    expect(await inSlices(text)).toEqual(model.tokenize(text, true));
  });

  it('is given up as soon as it is too long', async () => {
    let slices = 0;
    const counted: Vocabulary = {
      ...vocabulary,
      tokenize: (text, special) => {
        slices++;
        return vocabulary.tokenize(text, special);
      },
    };
    const long = tokenizeParts(counted, [{ text: prose(1, 1_000_000), literal: false }], {
      limit: 2048,
      contextLength: 2048,
      slot: async () => undefined,
    });
    await expect(long).rejects.toMatchObject({ code: 'context_length_exceeded' });
    expect(slices).toBeLessThan(4);
  });
});
