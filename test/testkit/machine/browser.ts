import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { requirement } from '../requirement.ts';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executable = places.find((place) => existsSync(place));

export const browserRequirement = await requirement('chromium', () =>
  executable === undefined ? 'install Chromium (Debian: chromium)' : true,
);

/** A headless browser that makes no network requests of its own. */
export function openBrowser(): Promise<Browser> {
  const quiet = [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
  // Chromium's sandbox does not work as root, which tests in containers run as.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: executable as string, args: [...quiet, ...sandbox] });
}
