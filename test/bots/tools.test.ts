import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awayFromMinuteEnd } from '../testkit/away-from-minute-end.ts';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { type ScriptedBots, scriptedBots } from '../testkit/document-index/scripted-bots.ts';
import { until } from '../testkit/until.ts';

const texts = {
  pumps: {
    'manual.md': 'The pump P-200 holds 400 litres. Change the oil every 500 hours.',
    'Договор № 5/7.txt': 'Срок поставки насоса составляет тридцать дней.',
    'drawing.pdf': '%PDF-1.7',
  },
  private: { 'salaries.md': 'The salary of the director is secret.' },
  empty: {},
};

describe('POST /mcp', () => {
  let dispatcher: RunningDispatcher;
  let scripted: ScriptedBots;
  const clients: Client[] = [];
  const connect = async (key: string) => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const headers = { authorization: `Bearer ${key}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${dispatcher.url}/mcp`), { requestInit: { headers } }),
    );
    clients.push(client);
    return client;
  };
  const textOf = (result: { content?: unknown }) => (result.content as { text: string }[])[0]?.text;
  let client: Client;

  beforeAll(async () => {
    scripted = scriptedBots(texts);
    dispatcher = await startDispatcher({ closed: true, bots: scripted });
    const { key } = await dispatcher.key({}, ['index:read']);
    client = await connect(key);
  });
  afterAll(async () => {
    for (const each of clients) await each.close();
    await dispatcher.close();
  });

  test('lists its tools', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['ask', 'list_bots', 'list_documents', 'search']);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  });

  test('ask answers with sources, and reports its stages', async () => {
    const stages: (string | undefined)[] = [];
    const result = await client.callTool(
      { name: 'ask', arguments: { bot: 'pumps', question: 'How many litres?' } },
      { onprogress: ({ message }) => stages.push(message) },
    );
    expect(textOf(result)).toBe('The pump P-200 holds 400 litres. [1]\n\nSources:\n[1] manual.md, p. 1');
    expect(result.structuredContent).toMatchObject({
      citations: [{ number: 1, title: 'manual.md', page: 1, quote: 'The pump P-200 holds 400 litres.' }],
    });
    expect(stages).toEqual(['searching', 'answering']);
  });

  test('search returns passages', async () => {
    const result = await client.callTool({
      name: 'search',
      arguments: { bot: 'pumps', query: 'поставки насоса', limit: 1 },
    });
    expect(textOf(result)).toContain('Срок поставки насоса составляет тридцать дней.');
    expect(result.structuredContent).toMatchObject({
      answerable: true,
      passages: [{ document: 'Договор № 5/7.txt', page: 1 }],
    });
  });

  test('documents are listed and read, by names of any kind', async () => {
    const listed = await client.callTool({ name: 'list_documents', arguments: { bot: 'pumps' } });
    expect(textOf(listed)).toContain('Договор № 5/7.txt');
    const { resources } = await client.listResources();
    const contract = resources.find(({ name }) => name === 'Договор № 5/7.txt');
    const { contents } = await client.readResource({ uri: contract?.uri ?? '' });
    expect(contents).toMatchObject([{ mimeType: 'text/plain', text: texts.pumps['Договор № 5/7.txt'] }]);
    const drawing = await client.readResource({ uri: 'roundhouse://bots/pumps/documents/drawing.pdf' });
    expect(drawing.contents).toMatchObject([{ mimeType: 'application/pdf', blob: 'JVBERi0xLjc=' }]);
    await expect(client.readResource({ uri: 'roundhouse://bots/pumps/documents/none.md' })).rejects.toThrow(
      "document 'none.md' was not found",
    );
  });

  test('failures of tools are words', async () => {
    const ask = (bot: string) => client.callTool({ name: 'ask', arguments: { bot, question: 'Why?' } });
    expect(await ask('none')).toMatchObject({
      isError: true,
      content: [{ text: "bot 'none' was not found" }],
    });
    expect(await ask('__proto__')).toMatchObject({ isError: true });
    expect(await ask('empty')).toMatchObject({
      isError: true,
      content: [{ text: 'the bot empty has no documents yet' }],
    });
    expect(await client.callTool({ name: 'ask', arguments: { bot: 'pumps' } })).toMatchObject({
      isError: true,
    });
  });

  test('a key sees its own bots only, and its limits apply', async () => {
    await awayFromMinuteEnd();
    const { key } = await dispatcher.key({ models: ['bot/pumps'], requests_per_minute: 1 }, ['index:read']);
    const limited = await connect(key);
    const listed = await limited.callTool({ name: 'list_bots', arguments: {} });
    expect(listed.structuredContent).toMatchObject({ bots: [{ name: 'pumps', ready: true }] });
    const { resources } = await limited.listResources();
    expect(resources.every(({ uri }) => uri.startsWith('roundhouse://bots/pumps/'))).toBe(true);
    const read = limited.readResource({ uri: 'roundhouse://bots/private/documents/salaries.md' });
    await expect(read).rejects.toThrow('not found');
    const ask = () =>
      limited.callTool({ name: 'ask', arguments: { bot: 'pumps', question: 'How many litres?' } });
    expect((await ask()).isError).toBeFalsy();
    expect(textOf(await ask())).toContain('requests per minute');
    const hidden = await limited.callTool({ name: 'search', arguments: { bot: 'private', query: 'salary' } });
    expect(hidden).toMatchObject({ isError: true, content: [{ text: "bot 'private' was not found" }] });
  });

  test('cancelling stops the bot', async () => {
    scripted.pace = 50;
    const stop = new AbortController();
    const before = scripted.asked.length;
    const asked = client.callTool(
      { name: 'ask', arguments: { bot: 'pumps', question: 'How many litres?' } },
      { signal: stop.signal },
    );
    await until('the bot is asked', () => scripted.asked.length > before);
    stop.abort();
    await expect(asked).rejects.toThrow();
    await until('the bot stops', () => scripted.asked.at(-1)?.aborted === true);
    scripted.pace = 0;
  });

  test('needs a key that may read bots', async () => {
    const post = (headers: Record<string, string>, body = '{}') =>
      fetch(`${dispatcher.url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body,
      });
    const anonymous = await post({});
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const { key } = await dispatcher.key({}, ['inference']);
    expect((await post({ authorization: `Bearer ${key}` })).status).toBe(403);
    const { key: reader } = await dispatcher.key({}, ['index:read']);
    expect((await post({ authorization: `Bearer ${reader}` })).status).toBe(400);
    expect((await post({ authorization: `Bearer ${reader}` }, '{')).status).toBe(400);
    // The earlier protocol, as clients of 2025 speak it: no session, every request alone.
    const initialized = await post(
      { authorization: `Bearer ${reader}` },
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'old', version: '1' },
        },
      }),
    );
    expect(initialized.status).toBe(200);
    expect(initialized.headers.get('mcp-session-id')).toBeNull();
    expect(await initialized.text()).toContain('"protocolVersion":"2025-06-18"');
    const standing = await fetch(`${dispatcher.url}/mcp`, { headers: { authorization: `Bearer ${reader}` } });
    expect(standing.status).toBe(405);
  });
});

test('public bots are tools for everybody, up to a number of questions per minute and address', async () => {
  const chatbot = { public: ['pumps'], public_requests_per_minute: 2 };
  const dispatcher = await startDispatcher({ closed: true, bots: scriptedBots(texts), config: { chatbot } });
  const connect = async (headers: Record<string, string>) => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const options = { requestInit: { headers } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${dispatcher.url}/mcp`), options));
    return client;
  };
  const { key } = await dispatcher.key({}, ['inference']);
  const callers: Record<string, string>[] = [{}, { authorization: `Bearer ${key}` }];
  for (const headers of callers) {
    const client = await connect(headers);
    const listed = await client.callTool({ name: 'list_bots', arguments: {} });
    expect(listed.structuredContent).toMatchObject({ bots: [{ name: 'pumps' }] });
    expect((listed.structuredContent as { bots: unknown[] }).bots).toHaveLength(1);
    const { resources } = await client.listResources();
    expect(resources.every(({ uri }) => uri.startsWith('roundhouse://bots/pumps/'))).toBe(true);
    const ask = (bot: string) => client.callTool({ name: 'ask', arguments: { bot, question: 'Litres?' } });
    expect(await ask('private')).toMatchObject({ isError: true });
    const failures = [];
    for (let times = 0; times < 3; times++) failures.push((await ask('pumps')).isError ?? false);
    expect(failures).toEqual('authorization' in headers ? [false, false, false] : [false, false, true]);
    await client.close();
  }
  await expect(connect({ authorization: 'Bearer wrong' })).rejects.toThrow();
  await dispatcher.close();
});
