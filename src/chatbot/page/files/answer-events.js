const keyName = 'roundhouse-key';

export const heldKey = () => sessionStorage.getItem(keyName) ?? undefined;
export const holdKey = (key) => sessionStorage.setItem(keyName, key);
export const dropKey = () => sessionStorage.removeItem(keyName);

/** An answer of the platform that is not a success. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function call(path, options = {}) {
  const key = heldKey();
  const headers = { ...options.headers, ...(key ? { authorization: `Bearer ${key}` } : {}) };
  const response = await fetch(path, { ...options, headers });
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({}));
  throw new Refused(response.status, typeof error === 'string' ? error : `${response.status}`);
}

export const postJson = (path, body, options = {}) =>
  call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...options.headers },
    body: JSON.stringify(body),
    signal: options.signal,
  });

/** Asks a bot, and yields the events of its answer. */
export async function* askBot(bot, body, signal) {
  const headers = { accept: 'text/event-stream' };
  const response = await postJson(
    `/v.1.0/${bot}?links=signed`,
    { ...body, stream: true },
    { headers, signal },
  );
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) };
    }
  }
}
