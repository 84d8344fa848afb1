import { BadRequest, InvalidInput } from '../../../../contracts/problems.ts';
import type { App } from '../../service.ts';
import { hasLoneSurrogates } from './json-limits.ts';
import { jsonShape } from './json-shape.ts';

/**
 * Checked before a body is read. A deeper one would overflow the stack of whatever walks through it; one of more
 * values would stop this process for as long as it is read and validated.
 */
const limits = { depth: 128, values: 2_000_000 };

/** Parses JSON bodies only. An empty body is not an error here, so that a schema can allow it. */
export function readJsonBodies(app: App): void {
  app.removeAllContentTypeParsers();
  // `curl -d ''`, used in the specification's examples, sends a form content type with an empty body.
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
  checkShape(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalidJson(`is not valid JSON: ${(error as Error).message}`);
  }
  refusePrototypeKeys(text);
  if (hasLoneSurrogates(value, text)) throw invalidJson('is not valid JSON: it has half of a surrogate pair');
  return value;
}

function invalidJson(what: string): BadRequest {
  return new BadRequest(`the request body ${what}`, { code: 'invalid_json' });
}

function checkShape(text: string): void {
  const { depth, values } = jsonShape(text, limits);
  if (depth > limits.depth)
    throw new BadRequest(`the request body is nested more than ${limits.depth} levels deep`, {
      code: 'json_too_deep',
    });
  if (values > limits.values)
    throw new BadRequest(`the request body holds more than ${limits.values} values`, {
      code: 'json_too_large',
    });
}

/** The key `__proto__`, with any of its characters escaped. Within a string, the quotes would be escaped. */
const prototypeKey =
  /"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"\s*:/;

/** Such a key could pollute the prototype of an object that the value is merged into, and no API has a field of that name. */
function refusePrototypeKeys(text: string): void {
  if (!prototypeKey.test(text)) return;
  const msg = 'Extra inputs are not permitted';
  throw new InvalidInput([{ loc: ['body', '__proto__'], msg, type: 'extra_forbidden' }]);
}
