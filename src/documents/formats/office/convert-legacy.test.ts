import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requirement } from '../../../../test/testkit/requirement.ts';
import { until } from '../../../../test/testkit/until.ts';
import { openDocuments } from '../../read-document.ts';
import { documentSettings } from '../../settings.ts';

const libreoffice = await requirement('LibreOffice', () =>
  execFileSync('soffice', ['--headless', '--version']),
);
const settings = documentSettings.documents.parse({ workers: 2 });
const folder = mkdtempSync(join(tmpdir(), 'legacy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const slide = `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2"
 office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation>
 <draw:page draw:name="p1"><draw:frame presentation:class="title" svg:width="20cm" svg:height="3cm" svg:x="1cm" svg:y="1cm">
 <draw:text-box><text:p>Планы на год</text:p></draw:text-box></draw:frame></draw:page>
 </office:presentation></office:body></office:document>`;

/** Turns a file into a format of 1997. */
async function convert(to: string, name: string): Promise<void> {
  const profile = pathToFileURL(join(folder, 'profile')).href;
  await promisify(execFile)('soffice', [
    '--headless',
    `-env:UserInstallation=${profile}`,
    ...['--convert-to', to, '--outdir', folder],
    join(folder, name),
  ]);
}

async function textOf(documents: ReturnType<typeof openDocuments>, name: string): Promise<string> {
  const texts: string[] = [];
  for await (const { kind, text } of documents.read({ path: join(folder, name), name }))
    texts.push(`${kind} ${text}`);
  return texts.join('\n');
}

describe.skipIf(!libreoffice.available)('DOC, XLS and PPT', () => {
  beforeAll(async () => {
    writeFileSync(
      join(folder, 'a.html'),
      `<meta charset=utf-8><h1>Отчёт</h1><p>Продажи выросли.</p><ul><li>один</ul>`,
    );
    writeFileSync(join(folder, 'b.csv'), 'City,Sum\nPskov,5\nOmsk,7\n');
    writeFileSync(join(folder, 'c.fodp'), slide);
    await convert('doc:MS Word 97', 'a.html');
    await convert('xls', 'b.csv');
    await convert('ppt', 'c.fodp');
  });

  it('are converted at the same time and read', async () => {
    const documents = openDocuments(settings);
    try {
      const texts = await Promise.all(
        ['a.doc', 'b.xls', 'c.ppt', 'a.doc'].map((one) => textOf(documents, one)),
      );
      expect(texts[0]).toBe('Title Отчёт\nNarrativeText Продажи выросли.\nListItem один');
      expect(texts[1]).toBe('Table City Sum\nPskov 5\nOmsk 7');
      expect(texts[2]).toContain('Планы на год');
      expect(texts[3]).toBe(texts[0]);
    } finally {
      await documents.close();
    }
  }, 240_000);

  it('end with the time limit, and leave no process or file', async () => {
    const documents = openDocuments({ ...settings, time_limit: 300 });
    try {
      await expect(textOf(documents, 'a.doc')).rejects.toMatchObject({ reason: 'too slow' });
      await until('the converter to end', () => converters() === 0);
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith('roundhouse-document-'))).toEqual([]);
    } finally {
      await documents.close();
    }
  });

  it('follow no links', async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.end();
    }).listen(0);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret.png`;
    writeFileSync(join(folder, 'd.html'), `<html><body><p>Text</p><img src="${url}"></body></html>`);
    const documents = openDocuments(settings);
    try {
      await convert('doc:MS Word 97', 'd.html');
      expect(asked).toBeGreaterThan(0);
      asked = 0;
      expect(await textOf(documents, 'd.doc')).toContain('Text');
      expect(asked).toBe(0);
    } finally {
      await documents.close();
      server.close();
    }
  });
});

/** Processes of LibreOffice that convert for a worker. */
const converters = () =>
  readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && /soffice.*roundhouse-document-/s.test(commandOf(pid)),
  ).length;

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
