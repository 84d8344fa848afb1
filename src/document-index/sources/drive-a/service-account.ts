import { createSign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { BadRequest, InternalFault } from '../../../contracts/problems.ts';
import { Refused, statusProblem } from '../../../platform/outgoing/answers/answer-problem.ts';
import { readJson } from '../../../platform/outgoing/answers/read-answer.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';

const KeyFile = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  token_uri: z.url({ protocol: /^https?$/ }).default('https://oauth2.googleapis.com/token'),
});
type KeyFile = z.output<typeof KeyFile>;

const Token = z.object({ access_token: z.string().min(1), expires_in: z.number().positive().default(3600) });

const scope = 'https://www.googleapis.com/auth/drive.readonly';
/** A token is replaced this long before it expires. */
const spare = 5 * 60_000;

export interface ServiceAccount {
  /** A token for the Drive API, the same until shortly before it expires. */
  token(signal: AbortSignal): Promise<string>;
  /** After the drive has refused the token: the next request gets a new one. */
  forget(): void;
}

/** The service account of a key file, which is read when it is needed, so that it can be replaced at any time. */
export function createServiceAccount(
  outgoing: Outgoing,
  path: string | undefined,
  now: () => number = Date.now,
): ServiceAccount {
  let current: { token: Promise<string>; until: number } | undefined;
  return {
    forget() {
      current = undefined;
    },
    async token(signal) {
      if (!current || current.until <= now()) {
        const started = { token: exchange(), until: Number.POSITIVE_INFINITY };
        current = started;
        started.token.catch(() => {
          if (current === started) current = undefined;
        });
      }
      return unlessAborted(current.token, signal);
    },
  };

  async function exchange(): Promise<string> {
    const key = await readKeyFile(path);
    const answer = await outgoing.open(
      {
        url: key.token_uri,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: new URLSearchParams({
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          assertion: assertion(key, now()),
        }).toString(),
        trusted: ({ origin }) => origin === new URL(key.token_uri).origin,
        limit: 2 ** 20,
        time: 60_000,
        problemOf: (failed) =>
          failed.status === 400 || failed.status === 401
            ? new Refused('the drive refuses the key of the service account (DRIVE_A_CREDENTIALS_PATH)')
            : statusProblem(failed),
      },
      AbortSignal.timeout(60_000),
    );
    const token = Token.safeParse(await readJson(answer));
    if (!token.success) throw new Refused('the drive gives the service account no token');
    if (current) current.until = now() + Math.max(token.data.expires_in * 1000 - spare, 1_000);
    return token.data.access_token;
  }
}

/** Several requests wait for the same token, so one that is canceled only stops waiting. */
async function unlessAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop);
  return Promise.race([value, promise]).finally(() => signal.removeEventListener('abort', stop));
}

/** A signed JSON Web Token (RFC 7523). */
function assertion({ client_email, private_key, token_uri }: KeyFile, now: number): string {
  const issued = Math.floor(now / 1000);
  const claims = { iss: client_email, scope, aud: token_uri, iat: issued, exp: issued + 3600 };
  const unsigned = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${unsigned}.${createSign('RSA-SHA256').update(unsigned).sign(private_key, 'base64url')}`;
}

async function readKeyFile(path: string | undefined): Promise<KeyFile> {
  if (path === undefined) {
    throw new BadRequest(
      'drive_a is not set up: an administrator must set DRIVE_A_CREDENTIALS_PATH to the key file of a service account',
      { code: 'source_not_configured' },
    );
  }
  try {
    return KeyFile.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'it is not the key file of a service account';
    throw new InternalFault(`the file in DRIVE_A_CREDENTIALS_PATH can't be used (${reason})`);
  }
}
