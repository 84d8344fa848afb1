import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserRequirement, openBrowser } from './testkit/browser.ts';
import { type RunningPlatform, startPlatform } from './testkit/platform.ts';

describe.runIf(browserRequirement.available)('pages in a browser', () => {
  let platform: RunningPlatform;
  let browser: Browser;
  beforeAll(async () => {
    platform = await startPlatform();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  /** Opens a page and keeps what a person would not see: requests elsewhere, errors on the console. */
  async function open(path: string): Promise<{ page: Page; outside: string[]; errors: string[] }> {
    const page = await browser.newPage();
    const outside: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(platform.url) && !request.url().startsWith('data:'))
        outside.push(request.url());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(platform.url + path);
    return { page, outside, errors };
  }

  it.each([
    ['/docs', 'dispatcher'],
    ['/api/docs/', 'management'],
    ['/hosted/docs', 'hosted'],
    ['/indexapi/docs', 'document index'],
  ])('%s shows the reference, served from here alone', async (path, title) => {
    const { page, outside, errors } = await open(path);
    await page.locator('.info h1.title, .info h2.title').first().waitFor();
    expect((await page.locator('.info').innerText()).toLowerCase()).toContain(title);
    expect({ outside, errors }).toEqual({ outside: [], errors: [] });
    await page.close();
  });

  it('the front page says that the platform is ready, and leads to the references', async () => {
    const { page, outside, errors } = await open('/');
    await page.getByRole('status').getByText('ready', { exact: true }).waitFor();
    await page.getByText('database').waitFor();
    await page.getByRole('link', { name: 'Management' }).click();
    await page.locator('.opblock-summary-path', { hasText: '/api/v1/jobs/' }).first().waitFor();
    expect({ outside, errors }).toEqual({ outside: [], errors: [] });
    await page.close();
  });
});
