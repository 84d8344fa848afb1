import { describe, expect, it } from 'vitest';
import { createLogger, type LoggerOptions } from './logger.ts';

const key = `rh-${'aB3'.repeat(13)}Z`;

function logging(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ level: 'info', format: 'json', name: 'test', destination, ...options });
  return { logger, lines, records: () => lines.map((line) => JSON.parse(line)) };
}

describe('createLogger', () => {
  it('writes one JSON object a line, with level, time, name and message', () => {
    const { logger, lines, records } = logging();
    logger.info({ bot_id: 'kb', tokens: 12 }, 'indexed');
    expect(lines[0]).toMatch(/\}\n$/);
    expect(records()[0]).toMatchObject({
      level: 'info',
      name: 'test',
      msg: 'indexed',
      bot_id: 'kb',
      tokens: 12,
    });
    expect(new Date(records()[0].time).getTime()).toBeGreaterThan(0);
  });

  it('keeps secrets out of fields at any depth and in any case', () => {
    const { logger, lines } = logging();
    logger.info({
      request: {
        headers: {
          AUTHORIZATION: 'Basic dXNlcjpwYXNz',
          'Set-Cookie': ['sid=1', 'b=2'],
          'unstructured-api-key': 'abc',
        },
      },
      env: { HF_TOKEN: 'plain-secret-1', AWS_SECRET_ACCESS_KEY: 'plain-secret-2' },
      account: [{ password: 'plain-secret-3', apiKey: 'plain-secret-4', 'api-key': 'plain-secret-5' }],
      pin: { password: 1234 },
    });
    expect(lines[0]).not.toMatch(/dXNlcjpwYXNz|sid=1|b=2|"abc"|plain-secret|1234/);
  });

  it('keeps secrets out of messages, errors, their causes and child bindings', () => {
    const { logger, lines } = logging();
    logger.child({ authorization: key }).error(
      {
        err: new Error(`refused ${key}`, {
          cause: new Error('postgres://user:hunter2@db/x?token=hunter3'),
        }),
      },
      `call with Authorization: Bearer ${key} failed`,
    );
    expect(lines[0]).not.toContain(key);
    expect(lines[0]).not.toContain('hunter');
    expect(lines[0]).toContain('db/x');
  });

  it('leaves counts of tokens alone', () => {
    const { logger, records } = logging();
    logger.info({ max_tokens: 5, first_token: 12.5, prompt_tokens: 7, tokenizer: 'bpe' });
    expect(records()[0]).toMatchObject({
      max_tokens: 5,
      first_token: 12.5,
      prompt_tokens: 7,
      tokenizer: 'bpe',
    });
  });

  it('writes nothing below its level', () => {
    const { logger, lines } = logging({ level: 'warn' });
    logger.info('quiet');
    expect(lines).toEqual([]);
  });
});

describe("createLogger({ format: 'pretty' })", () => {
  it('writes one readable line with the same redaction', () => {
    const { logger, lines } = logging({ format: 'pretty', colour: false });
    logger.warn({ pod_id: 'pod 1', url: 'http://a', token: 'hidden' }, 'pod is slow');
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}test pod is slow pod_id="pod 1" url=http:\/\/a token=\[redacted\]\n$/,
    );
  });

  it('does not let a message forge a second line or colour the terminal', () => {
    const { logger, lines } = logging({ format: 'pretty', colour: false });
    logger.info({ user: 'a\nb' }, 'hello\n12:00:00.000 ERROR forged \x1b[31m');
    expect(lines[0]?.split('\n')).toHaveLength(2);
    expect(lines[0]).not.toContain('\x1b');
  });

  it('puts the stack of an error below, indented', () => {
    const { logger, lines } = logging({ format: 'pretty', colour: false });
    logger.error({ err: new TypeError('broken') }, 'failed');
    expect(lines[0]).toMatch(/ERROR test failed.*\n {4}TypeError: broken\n {8}at /);
  });
});
