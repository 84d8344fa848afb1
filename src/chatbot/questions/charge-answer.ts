import type { AnswerEvent, AnswerInput } from '../../contracts/answering.ts';
import { Problem } from '../../contracts/problems.ts';
import type { Caller } from '../../platform/http/access.ts';
import type { Metering } from '../../platform/metering/open-metering.ts';
import { estimateTokens } from '../models/estimate-tokens.ts';

interface Charge {
  metering: Pick<Metering, 'limits' | 'usage'>;
  caller: Caller;
  bot: string;
  input: AnswerInput;
}

/** For the passages and the answer, until both are known. */
const expectedTokens = 2_000;

/** Counts an answer against the limits of the caller's key, and as usage of the model `bot/<id>`. */
export async function* chargeAnswer(
  { metering, caller, bot, input }: Charge,
  answer: () => AsyncGenerator<AnswerEvent, void>,
): AsyncGenerator<AnswerEvent, void> {
  const model = `bot/${bot}`;
  const asked = estimateTokens(
    [input.question, ...(input.history ?? []).map(({ content }) => content)].join('\n'),
  );
  const place = await metering.limits.enter(caller, { model, tokens: asked + expectedTokens });
  if (place instanceof Problem) throw place;
  let prompt = 0;
  let completion = 0;
  let isWhole = false;
  try {
    for await (const event of answer()) {
      if (event.type === 'delta') {
        // What counts for an answer that is not finished.
        prompt = asked;
        completion += estimateTokens(event.text);
      } else if (event.type === 'answer') {
        isWhole = true;
        prompt = event.answer.usage.prompt_tokens;
        completion = event.answer.usage.completion_tokens;
      }
      yield event;
    }
  } finally {
    place.settle({ tokens: prompt + completion });
    if (caller.kind === 'key') metering.usage.record(caller.id, model, '', !isWhole, prompt, completion);
  }
}
