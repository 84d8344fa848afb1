import type {
  GenerationEvent,
  GenerationRequest,
  GenerationUsage,
  LanguageEngine,
  TokenLogprob,
} from '../../../src/pod/engine.ts';

export interface Generated {
  text: string;
  logprobs: TokenLogprob[];
  promptLogprobs: TokenLogprob[];
  calls: { name: string; arguments: string }[];
  reason: string;
  stopText?: string;
  usage: GenerationUsage;
}

/** Runs a generation to the end and collects its events. */
export async function generated(
  engine: LanguageEngine,
  request: GenerationRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Generated> {
  const whole: Generated = {
    text: '',
    logprobs: [],
    promptLogprobs: [],
    calls: [],
    reason: '',
    usage: { promptTokens: 0, completionTokens: 0, cachedTokens: 0 },
  };
  for await (const event of engine.generate(request, signal)) add(whole, event);
  return whole;
}

function add(whole: Generated, event: GenerationEvent): void {
  if (event.kind === 'prompt') whole.promptLogprobs = event.logprobs ?? [];
  if (event.kind === 'text') {
    whole.text += event.text;
    whole.logprobs.push(...(event.logprobs ?? []));
  }
  if (event.kind === 'tool-call') whole.calls[event.index] = { name: event.name, arguments: '' };
  if (event.kind === 'tool-arguments')
    (whole.calls[event.index] ?? { arguments: '' }).arguments += event.text;
  if (event.kind === 'end') {
    whole.reason = event.reason;
    whole.usage = event.usage;
    if (event.stopText !== undefined) whole.stopText = event.stopText;
  }
}
