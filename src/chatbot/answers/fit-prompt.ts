import type { PlainMessage } from '../../platform/inference/calls/chat.ts';
import { estimateTokens } from '../models/estimate-tokens.ts';
import { buildPrompt, type PromptParts } from './build-prompt.ts';

export interface FittedPrompt {
  messages: PlainMessage[];
  /** The passages that had room. */
  passages: PromptParts['passages'];
}

interface FitOptions {
  /** Tokens that the prompt may have. */
  room: number;
  /** Counts exactly; undefined where nobody can. */
  count(messages: PlainMessage[]): Promise<number | undefined>;
}

const attempts = 4;
const mostTurns = 8;

/**
 * Builds the prompt within the model's context: older turns give way first, then the passages that fit the question
 * least. Undefined where not even one passage has room.
 */
export async function fitPrompt(
  parts: PromptParts,
  { room, count }: FitOptions,
): Promise<FittedPrompt | undefined> {
  let estimated = room;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const fitted = withinEstimate(parts, estimated);
    if (!fitted) return undefined;
    const tokens = await count(fitted.messages);
    if (tokens === undefined || tokens <= room) return fitted;
    estimated = Math.floor(Math.min(0.9, room / tokens) * estimateOf(fitted.messages));
  }
  return undefined;
}

function withinEstimate(parts: PromptParts, room: number): FittedPrompt | undefined {
  const tokensOf = (some: Partial<PromptParts>) => estimateOf(buildPrompt({ ...parts, ...some }));
  let history = parts.history.slice(-mostTurns);
  const bare = tokensOf({ history: [], passages: [] });
  // Passages need most of the room.
  while (history.length > 0 && tokensOf({ history, passages: [] }) - bare > (room - bare) / 4)
    history = history.slice(1);
  const passages = [...parts.passages];
  while (passages.length > 0 && tokensOf({ history, passages }) > room) passages.pop();
  if (passages.length === 0) return undefined;
  return { messages: buildPrompt({ ...parts, history, passages }), passages };
}

const perMessage = 8;
const estimateOf = (messages: readonly PlainMessage[]) =>
  messages.reduce((sum, { content }) => sum + estimateTokens(content) + perMessage, 0);
