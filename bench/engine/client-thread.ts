// An HTTP client in its own thread, like a client on the same machine: in the pod's thread, the measurement would
// include its own cost.
import { parentPort } from 'node:worker_threads';
import { request } from 'undici';

export interface Asked {
  url: string;
  model: string;
  /** One stream is opened for each. */
  conversations: { role: string; content: string }[][];
  tokens: number;
}

export interface Answered {
  seconds: number;
  tokens: number;
  /** Seconds to the first text of each stream. */
  firstTokens: number[];
  texts: string[];
}

parentPort?.on('message', async (asked: Asked) => {
  const started = performance.now();
  const streams = await Promise.all(asked.conversations.map((messages) => stream(asked, messages, started)));
  const answered: Answered = {
    seconds: (performance.now() - started) / 1000,
    tokens: streams.reduce((sum, one) => sum + one.tokens, 0),
    firstTokens: streams.map((one) => one.firstToken),
    texts: streams.map((one) => one.text),
  };
  parentPort?.postMessage(answered);
});

async function stream(
  { url, model, tokens }: Asked,
  messages: Asked['conversations'][number],
  started: number,
) {
  const answer = await request(`${url}/v1/chat/completions`, {
    method: 'POST',
    // The server may close a keep-alive connection at the moment it is used again.
    reset: true,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages,
      max_tokens: tokens,
      temperature: 0,
      ignore_eos: true,
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  if (answer.statusCode !== 200) throw new Error(await answer.body.text());
  let rest = '';
  let text = '';
  let firstToken = 0;
  let made = 0;
  answer.body.setEncoding('utf8');
  for await (const piece of answer.body as AsyncIterable<string>) {
    const events = (rest + piece).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      if (!event.startsWith('data: {')) continue;
      const chunk = JSON.parse(event.slice(6)) as {
        choices: { delta: { content?: string } }[];
        usage?: { completion_tokens: number } | null;
      };
      const content = chunk.choices[0]?.delta.content;
      if (content && firstToken === 0) firstToken = (performance.now() - started) / 1000;
      text += content ?? '';
      made = chunk.usage?.completion_tokens ?? made;
    }
  }
  return { tokens: made, firstToken, text };
}
