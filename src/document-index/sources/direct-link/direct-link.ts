import { decodeText } from '../../../documents/detection/decode-text.ts';
import { Refused } from '../../../platform/outgoing/answers/answer-problem.ts';
import { readBytes } from '../../../platform/outgoing/answers/read-answer.ts';
import type { Outgoing, OutgoingAnswer } from '../../../platform/outgoing/outgoing.ts';
import { cleanName, nameInHeader, nameInUrl, withExtension } from '../files/file-name.ts';
import { once } from '../files/once.ts';
import { contradicts, looksLikeHtml, peek } from '../files/peek.ts';
import type { FetchedFile, Source } from '../source.ts';
import { articleOf } from './article.ts';
import { itemProblem } from './item-problem.ts';
import { pageProblem } from './page-problem.ts';

/** Larger pages are left to the reader of documents as they are. */
const mostPageBytes = 8 * 2 ** 20;
const headBytes = 4_096;

/** A link that opens the document itself. */
export function createDirectLink(deps: { outgoing: Outgoing }): Source<{ type: 'direct_link'; url: string }> {
  return {
    async *list({ url }, { signal }) {
      const item = { id: url, version: null, name: nameInUrl(url), url, size: null, path: [] };
      const answer = await deps.outgoing
        .open({ url, limit: Number.MAX_SAFE_INTEGER, headers: preferred }, signal)
        .catch((error: unknown) => itemProblem(error));
      if ('problem' in answer) yield { ...item, ...answer };
      else {
        answer.close();
        const version = answer.headers.etag ?? answer.headers['last-modified'] ?? null;
        yield { ...item, name: nameOf(url, answer), version, size: answer.size };
      }
    },
    async fetch({ url }, _, { signal, limit }) {
      const answer = await deps.outgoing.open({ url, limit, headers: preferred }, signal);
      try {
        return await readFile(url, answer);
      } catch (error) {
        answer.close();
        throw error;
      }
    },
  };
}

const preferred = { accept: 'application/pdf,text/html;q=0.9,*/*;q=0.8' };

const typeOf = ({ headers }: OutgoingAnswer) => headers['content-type']?.trim().toLowerCase() || null;

function nameOf(url: string, answer: OutgoingAnswer): string {
  const named = nameInHeader(answer.headers['content-disposition']);
  if (named) return withExtension(named, typeOf(answer));
  // A redirect often leads from a short link to the file, and sometimes to storage with meaningless names.
  const [asked, found] = [nameInUrl(url), nameInUrl(answer.url)];
  const hasEnding = (name: string) => /\.[a-z0-9]{2,5}$/i.test(name);
  return withExtension(!hasEnding(asked) && hasEnding(found) ? found : asked, typeOf(answer));
}

async function readFile(url: string, answer: OutgoingAnswer): Promise<FetchedFile> {
  const name = nameOf(url, answer);
  const { host } = new URL(answer.url);
  const { head, body } = await peek(answer.body, headBytes);
  const type = typeOf(answer);
  if (!looksLikeHtml(head) && !type?.includes('html')) {
    if (contradicts(name, head)) throw new Refused(`${host} sends something else than the file ${name}`);
    return { name, type, body };
  }
  if (contradicts(name, head)) {
    throw new Refused(`${host} sends a page instead of the file ${name}; it may ask for a login`);
  }
  if (answer.size !== null && answer.size > mostPageBytes) return { name, type: 'text/html', body };
  return readPage(name, { ...answer, body });
}

/** What follows the path may be a token, and would become part of links in the stored page. */
const withoutQuery = (address: string) => address.replace(/[?#].*$/s, '');

async function readPage(name: string, answer: OutgoingAnswer): Promise<FetchedFile> {
  const bytes = await readBytes(answer);
  if (bytes.length > mostPageBytes) return { name, type: 'text/html', body: once(bytes) };
  const declared =
    /charset\s*=\s*["']?([\w-]+)/i.exec(answer.headers['content-type'] ?? '')?.[1] ??
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(bytes.toString('latin1', 0, headBytes))?.[1];
  const source = decodeText(bytes, declared ? { declared } : {}).text;
  const article = articleOf(source, withoutQuery(answer.url));
  const problem = pageProblem({ url: answer.url, source, article });
  if (problem) throw new Refused(problem);
  return { name: cleanName(name), type: 'text/html; charset=utf-8', body: once(Buffer.from(article.html)) };
}
