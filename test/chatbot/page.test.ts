import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scriptedBots, startChatbot } from '../testkit/document-index/chatbot.ts';
import { browserRequirement, openBrowser } from '../testkit/machine/browser.ts';

const documents = [
  {
    name: 'leave.pdf',
    title: 'Leave policy',
    headings: ['Annual leave'],
    text: 'Every employee is entitled to 28 calendar days of paid annual leave per year.\fThe request is approved by the head of the department.',
  },
];

describe.runIf(browserRequirement.available)('GET /agent/{bot_id}', () => {
  const { bots, state } = scriptedBots(documents);
  let chatbot: Awaited<ReturnType<typeof startChatbot>>;
  let browser: Browser;
  let key: string;
  let errors: string[];
  beforeAll(async () => {
    chatbot = await startChatbot(bots);
    key = await chatbot.key(['index:read']);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await chatbot.close();
  });
  beforeEach(() => {
    errors = [];
    Object.assign(state, { ready: true, answerable: true });
  });

  async function open(
    path: string,
    locale = 'en-US',
    held = key,
  ): Promise<{ page: Page; context: BrowserContext }> {
    const context = await browser.newContext({ locale, viewport: { width: 390, height: 780 } });
    const page = await context.newPage();
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      // The browser itself reports refused requests.
      if (message.type() === 'error' && !message.text().includes('the server responded with'))
        errors.push(message.text());
    });
    if (held !== '') await page.addInitScript((it) => sessionStorage.setItem('roundhouse-key', it), held);
    await page.goto(chatbot.url + path);
    return { page, context };
  }

  it('greets, answers with sources that expand, takes a follow-up and a rating', async () => {
    const { page, context } = await open('/agent/hr');
    await page.getByText('leave policy').waitFor();
    expect(await page.locator('#greeting').innerHTML()).toBe('<p>Hello, I know the <b>leave policy</b>.</p>');
    await page.getByRole('button', { name: 'How many days of leave do I get?' }).click();
    await page.getByText('“Every employee is entitled to 28 calendar days').waitFor();
    await page.getByRole('button', { name: 'Source 1' }).first().click();
    await page.locator('blockquote').getByText('Every employee is entitled').waitFor();
    const link = page.getByRole('link', { name: 'Open the document' });
    expect(await link.getAttribute('href')).toMatch(
      /^\/documents\/hr\/leave\.pdf\?expires=\d+&signature=.+#page=1$/,
    );
    await page.getByRole('button', { name: 'Not helpful' }).click();
    await page.getByPlaceholder('What is wrong with the answer?').fill('Too short');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Thank you.').waitFor();
    await page.getByLabel('Your question').fill('Who approves it?');
    await page.keyboard.press('Enter');
    await page.getByText('“The request is approved by the head').waitFor();
    expect(state.questions.at(-1)).toMatch(/^Who approves it\? \(.*leave/);
    const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(wide).toBeLessThanOrEqual(0);
    expect(errors).toEqual([]);
    const rated = await chatbot.database.query
      .selectFrom('bot_answers')
      .select(['rating', 'comment'])
      .where('rating', 'is not', null)
      .execute();
    expect(rated).toEqual([{ rating: -1, comment: 'Too short' }]);
    await context.close();
  });

  it('asks for a key in Russian, and says when it does not work', async () => {
    const { page, context } = await open('/agent/hr', 'ru-RU', '');
    await page.getByText('Нужен ключ').waitFor();
    await page.getByLabel('Ключ').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('Этот ключ здесь не подходит.').waitFor();
    await page.getByLabel('Ключ').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Спросить' }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('says that there is no such bot, and waits for one that is being made', async () => {
    const unknown = await open('/agent/other');
    await unknown.page.getByText('There is no assistant with this name.').waitFor();
    await unknown.context.close();
    expect((await fetch(`${chatbot.url}/agent/NO`)).status).toBe(404);
    state.ready = false;
    const early = await open('/agent/hr');
    await early.page.getByText('still being read').waitFor();
    expect(await early.page.getByLabel('Your question').isVisible()).toBe(false);
    state.problem = 'Its only document could not be indexed: a.pdf: The file is encrypted.';
    await early.page.getByText('could not be read. Its only document could not be indexed: a.pdf').waitFor();
    Object.assign(state, { ready: true, problem: null });
    await early.page.getByLabel('Your question').waitFor();
    await early.context.close();
  });
});
