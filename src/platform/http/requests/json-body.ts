import { BadRequest } from '../../../contracts/problems.ts';
import type { App } from '../service.ts';
import { deepestJson, hasLoneSurrogates, isNestedDeeper } from './json-limits.ts';

/** JSON is the only body read by default; no body at all is no error, so that a schema can allow it. */
export function readJsonBodies(app: App): void {
  app.removeAllContentTypeParsers();
  // `curl -d ''`, which the specification's own examples use, names the type of a form and sends nothing.
  app.addHook('onRequest', async ({ headers }) => {
    if (headers['content-length'] === '0') delete headers['content-type'];
  });
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json/,
    { parseAs: 'string' },
    (_request, text, done) => {
      if (text.length === 0) return done(null, undefined);
      try {
        done(null, parseBody(text as string));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

function parseBody(text: string): unknown {
  let value: unknown;
  try {
    value = withoutPrototypeKeys(JSON.parse(text), text);
  } catch (error) {
    throw invalidJson(`is not valid JSON: ${(error as Error).message}`);
  }
  if (isNestedDeeper(value, deepestJson)) throw invalidJson(`is nested more than ${deepestJson} levels deep`);
  if (hasLoneSurrogates(value, text)) throw invalidJson('is not valid JSON: it has half of a surrogate pair');
  return value;
}

function invalidJson(what: string): BadRequest {
  return new BadRequest(`the request body ${what}`, { code: 'invalid_json' });
}

/** `{"__proto__": …}` would reach the prototype of whatever the value is merged into later. */
function withoutPrototypeKeys(value: unknown, text: string): unknown {
  if (!text.includes('"__proto__"')) return value;
  return JSON.parse(text, (key, inner) => (key === '__proto__' ? undefined : inner));
}
