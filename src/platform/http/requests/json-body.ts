import { BadRequest } from '../../../contracts/problems.ts';
import type { App } from '../service.ts';
import { jsonDepth } from './json-depth.ts';

/** Deeper bodies would overflow the stack of whatever walks through them: validation, copying, writing them out. */
const deepest = 128;

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
      if (jsonDepth(text as string) > deepest)
        return done(
          new BadRequest(`the request body is nested more than ${deepest} levels deep`, {
            code: 'json_too_deep',
          }),
        );
      try {
        done(null, withoutPrototypeKeys(JSON.parse(text as string), text as string));
      } catch (error) {
        done(
          new BadRequest(`the request body is not valid JSON: ${(error as Error).message}`, {
            code: 'invalid_json',
          }),
        );
      }
    },
  );
}

/** `{"__proto__": …}` would reach the prototype of whatever the value is merged into later. */
function withoutPrototypeKeys(value: unknown, text: string): unknown {
  if (!text.includes('"__proto__"')) return value;
  return JSON.parse(text, (key, inner) => (key === '__proto__' ? undefined : inner));
}
