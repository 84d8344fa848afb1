import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserRequirement, openBrowser } from './testkit/machine/browser.ts';
import { type RunningPlatform, startPlatform } from './testkit/platform.ts';
import { answerStream, type MockPod, startMockPod } from './testkit/pods/mock-pod.ts';
import { until } from './testkit/until.ts';

let browser: Browser;
beforeAll(async () => {
  if (browserRequirement.available) browser = await openBrowser();
});
afterAll(() => browser?.close());

/** Opens a page and keeps what a person would not see: requests elsewhere, errors on the console. */
async function open(url: string, path: string): Promise<{ page: Page; outside: string[]; errors: string[] }> {
  const page = await browser.newPage();
  const outside: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) outside.push(request.url());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(url + path);
  return { page, outside, errors };
}

const references = [
  ['/docs', 'dispatcher'],
  ['/api/docs/', 'management'],
  ['/hosted/docs', 'hosted'],
  ['/indexapi/docs', 'document index'],
] as const;

async function showsReference(url: string, path: string, title: string): Promise<void> {
  const { page, outside, errors } = await open(url, path);
  await page.locator('.info h1.title, .info h2.title').first().waitFor();
  expect((await page.locator('.info').innerText()).toLowerCase()).toContain(title);
  expect({ outside, errors }).toEqual({ outside: [], errors: [] });
  await page.close();
}

describe.runIf(browserRequirement.available)('pages in a browser', () => {
  const adminKey = `rh-${'a'.repeat(40)}`;
  let platform: RunningPlatform;
  beforeAll(async () => {
    platform = await startPlatform({ env: { ROUNDHOUSE_ADMIN_TOKEN: adminKey } });
  });
  afterAll(() => platform?.stop());

  it.each(references)('%s shows the reference, served from here alone', (path, title) =>
    showsReference(platform.url, path, title),
  );

  it('the front page says that the platform is ready, and leads to the references', async () => {
    const { page, outside, errors } = await open(platform.url, '/');
    await page.getByRole('status').getByText('ready', { exact: true }).waitFor();
    await page.getByText('database').waitFor();
    expect(await page.getByText('A key is needed').isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Management' }).click();
    await page.locator('.opblock-summary-path', { hasText: '/api/v1/jobs/' }).first().waitFor();
    expect({ outside, errors }).toEqual({ outside: [], errors: [] });
    await page.close();
  });

  it('the front page says how to create a bot, counts bots, and lists them for a key', async () => {
    const first = await open(platform.url, '/');
    await first.page.getByText('./roundhouse create-bot').waitFor();
    await first.page.close();
    const body = new FormData();
    body.append('files', new Blob(['The office opens at nine.']), 'office.txt');
    const headers = { authorization: `Bearer ${adminKey}` };
    const created = await fetch(`${platform.url}/indexapi/bot/office`, { method: 'PUT', headers, body });
    expect(created.status).toBe(202);
    await until('the bot is ready', async () => {
      const bot = await fetch(`${platform.url}/indexapi/bot/office`, { headers });
      return ((await bot.json()) as { status: string }).status === 'ready';
    });
    const { page, outside } = await open(platform.url, '/');
    await page.getByText('This platform has 1 bot.').waitFor();
    await page.getByRole('button', { name: 'Use a key to see them' }).click();
    await page.getByRole('textbox', { name: 'Key' }).fill(adminKey);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('link', { name: 'office' }).click();
    await page.getByLabel('Your question').waitFor();
    expect(outside).toEqual([]);
    await page.close();
  });
});

describe.runIf(browserRequirement.available)('pages at an address of the network', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'roundhouse-pages-'));
  let platform: RunningPlatform;
  let pod: MockPod;
  let key: string;

  const start = (port = '0') =>
    startPlatform({ cwd, args: ['--port', port], env: { ROUNDHOUSE_HOST: '0.0.0.0' } });
  const adminHeaders = () => {
    const admin = readFileSync(join(cwd, 'data', 'admin-token'), 'utf8').trim();
    return { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
  };
  const post = async (path: string, body: object) => {
    const init = { method: 'POST', headers: adminHeaders(), body: JSON.stringify(body) };
    const response = await fetch(platform.url + path, init);
    expect(response.ok).toBe(true);
    return (await response.json()) as Record<string, string>;
  };
  const reportPod = () =>
    post('/pods-info/', { pod_id: 'p', task: 'llm', served_model_name: 'mock', pod_address: pod.url });

  beforeAll(async () => {
    platform = await start();
    pod = await startMockPod();
    await reportPod();
    key = (await post('/api/v1/keys/', { name: 'page', scopes: ['inference'] })).key ?? '';
  });
  afterAll(async () => {
    await platform?.stop();
    await pod?.kill();
  });

  it('the greeting names an address that others can use, and says that a key is needed', () => {
    expect(new URL(platform.url).hostname).not.toMatch(/^(0\.0\.0\.0|127\..*|localhost)$/);
    expect(platform.output()).toMatch(/On this machine http:\/\/localhost:\d+\//);
    expect(platform.output()).toContain('Callers need a key.');
  });

  it.each(references)('%s shows the reference over plain http', (path, title) =>
    showsReference(platform.url, path, title),
  );

  it('the front page asks for a key, says if it is wrong, and keeps it for the tab', async () => {
    const { page, outside } = await open(platform.url, '/');
    await page.getByText('A key is needed').waitFor();
    expect(await page.getByText('Models served').isVisible()).toBe(false);
    await page.getByRole('textbox', { name: 'Key' }).fill('rh-wrong');
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByText('This key is not valid.').waitFor();
    await reportPod();
    await page.getByRole('textbox', { name: 'Key' }).fill(key);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.locator('#served').getByText('mock').waitFor();
    expect(await page.getByText('This key is not valid.').isVisible()).toBe(false);
    await page.reload();
    await page.locator('#served').getByText('mock').waitFor();
    await page.getByRole('button', { name: 'Use another key' }).click();
    await page.getByText('A key is needed').waitFor();
    expect(outside).toEqual([]);
    await page.close();
  });

  async function openChat(): Promise<Page> {
    // Reports of pods expire.
    await reportPod();
    const { page } = await open(platform.url, '/');
    await page.getByRole('textbox', { name: 'Key' }).fill(key);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByLabel('Your message').waitFor();
    return page;
  }
  const say = async (page: Page, text: string) => {
    await page.getByLabel('Your message').fill(text);
    await page.getByLabel('Your message').press('Enter');
  };

  it('the chat shows code, limits its answers, and stops a model that repeats itself', async () => {
    const page = await openChat();
    pod.answer = answerStream(['Use `print`:\n\n```python\nprint("<b>', 'hi</b>")\n', '```\nDone.']);
    await say(page, 'Show me some code.');
    const answer = page.locator('#conversation .assistant').last();
    await answer.getByText('Done.').waitFor();
    expect(await answer.locator('pre code').innerText()).toBe('print("<b>hi</b>")');
    expect(await answer.locator('pre').getAttribute('data-language')).toBe('python');
    expect(await answer.locator('> code').innerText()).toBe('print');
    expect(await answer.innerText()).not.toContain('```');
    expect(JSON.parse(String(pod.requests.at(-1)?.body))).toMatchObject({ max_tokens: 1024 });

    pod.answer = answerStream(['Well. ', ...Array.from({ length: 2_000 }, () => 'It is what it is. ')]);
    await say(page, 'And now?');
    await page.getByText('Stopped, because the model was repeating itself.').waitFor();
    expect(await page.locator('#conversation .assistant').last().innerText()).toMatch(
      /^Well\. It is what it is\.?\s*Stopped/,
    );

    pod.answer = answerStream(['Once upon a time'], 'length');
    await say(page, 'A story.');
    await page.getByText('The answer was cut off at its limit of 1024 tokens.').waitFor();
    await page.close();
  });

  it('the front page says when the platform is down, and recovers', async () => {
    const page = await openChat();
    const { port } = new URL(platform.url);
    await platform.stop();
    await page.getByText('The platform does not answer.').waitFor();
    expect(await page.getByRole('status').innerText()).toBe('not reachable');
    platform = await start(port);
    await reportPod();
    await page.locator('#served').getByText('mock').waitFor();
    expect(await page.getByText('The platform does not answer.').isVisible()).toBe(false);
    await page.close();
  });
});
