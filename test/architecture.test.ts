import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { violations } from './architecture/rules.ts';
import { parseSource, readSources } from './architecture/source-file.ts';

/** What the rules say of files given as path → text. */
function judge(files: Record<string, string>): string[] {
  return violations(Object.entries(files).map(([path, text]) => parseSource(path, text)));
}

const relative = (from: string, to: string) => {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
};

describe('the architecture', () => {
  test('the rules of the house hold in src', () => {
    const sources = readSources('src');
    expect(sources.length).toBeGreaterThan(0);
    expect(violations(sources)).toEqual([]);
  });

  test.each<[string, string, string, string]>([
    [
      'an arrow upwards',
      'src/platform/http/app.ts',
      "import { x } from '../../dispatcher/service.ts'",
      'the arrows are',
    ],
    [
      'a type upwards',
      'src/contracts/a.ts',
      "import type { X } from '../platform/http/app.ts'",
      'the arrows are',
    ],
    ['an inline type', 'src/contracts/a.ts', "type X = import('../cli/main.ts').X", 'the arrows are'],
    ['an export from', 'src/documents/a.ts', "export * from '../server.ts'", 'the arrows are'],
    ['an import on demand', 'src/server.ts', "await import('./cli/main.ts')", 'the arrows are'],
    ['a worker', 'src/documents/a.ts', "new URL('../hosted/worker.ts', import.meta.url)", 'the arrows are'],
    ['another service', 'src/hosted/a.ts', "import '../chatbot/b.ts'", 'services never import each other'],
    [
      'the proxy and the database',
      'src/dispatcher/calls/a.ts',
      "import '../../platform/database/b.ts'",
      'never touch the database',
    ],
    [
      'scheduling and the database',
      'src/dispatcher/routing/a.ts',
      "import '../../platform/database/b.ts'",
      'never touch the database',
    ],
    ['the pod and the database', 'src/pod/a.ts', "import '../platform/database/b.ts'", 'pod imports only'],
    ['the pod and documents', 'src/pod/engines/a.ts', "import '../../documents/b.ts'", 'pod imports only'],
    [
      'a test kit',
      'src/contracts/a.ts',
      "import '../../test/testkit/requirement.ts'",
      'src never imports tests',
    ],
    ['a test', 'src/contracts/a.ts', "import './b.test.ts'", 'src never imports tests'],
    ['the test runner', 'src/contracts/a.ts', "import { vi } from 'vitest'", 'src never imports tests'],
  ])('%s is refused', (_, path, text, rule) => {
    expect(judge({ [path]: text })).toEqual([
      expect.stringMatching(new RegExp(`^${path} imports .*${rule}`)),
    ]);
  });

  test.each([
    'process.env.HOME',
    "process['env']",
    'const { env } = process',
    "import { env } from 'node:process'",
  ])('%s is refused outside the configuration', (text) => {
    expect(judge({ 'src/hosted/a.ts': text })).toEqual([
      expect.stringContaining('src/hosted/a.ts reads process.env'),
    ]);
  });

  test.each([
    ['a pattern from a text', 'src/hosted/a.ts', 'new RegExp(text)', 'makes a regular expression'],
    ['a pattern without new', 'src/hosted/a.ts', "RegExp('^' + text)", 'makes a regular expression'],
    ['a body read whole', 'src/models/hub/a.ts', 'answer.body.json()', 'reads the body of an answer'],
    [
      'a 401 of another server',
      'src/models/packages/a.ts',
      "import { Unauthenticated } from '../../contracts/problems.ts'",
      'uses Unauthenticated',
    ],
  ])('%s is refused', (_, path, text, rule) => {
    expect(judge({ [path]: text })).toEqual([expect.stringContaining(`${path} ${rule}`)]);
  });

  test("a pattern that is written in the file is not another's", () => {
    expect(judge({ 'src/hosted/a.ts': "new RegExp('a+')" })).toEqual([]);
  });

  test('process.env in two files of the configuration is refused', () => {
    const broken = judge({
      'src/platform/config/a.ts': 'process.env',
      'src/platform/config/b.ts': 'process.env',
    });
    expect(broken).toEqual([expect.stringContaining('src/platform/config/b.ts reads process.env')]);
  });

  test.each([
    ['rooms', 'src/platform/auth/a.ts', 'src/platform/http/b.ts', 'src/platform: auth → http → auth'],
    [
      'folders inside a room',
      'src/models/files/a.ts',
      'src/models/hub/b.ts',
      'src/models: files → hub → files',
    ],
    [
      'folders three deep',
      'src/pod/engines/onnx/x/a.ts',
      'src/pod/engines/onnx/y/b.ts',
      'src/pod/engines/onnx: x → y → x',
    ],
    [
      'a folder and a file beside it',
      'src/pod/answers/a.ts',
      'src/pod/pod.ts',
      'src/pod: answers → pod.ts → answers',
    ],
  ])('%s in a circle are refused, types too', (_, one, other, circle) => {
    const using = (path: string, target: string) => `import type { X } from '${relative(path, target)}'`;
    const broken = judge({ [one]: using(one, other), [other]: using(other, one) });
    expect(broken).toEqual([expect.stringContaining(circle)]);
  });

  test('a longer circle is refused once', () => {
    const broken = judge({
      'src/models/a/x.ts': "import type { X } from '../b/x.ts'",
      'src/models/b/x.ts': "import type { X } from '../c/x.ts'",
      'src/models/c/x.ts': "import type { X } from '../a/x.ts'",
    });
    expect(broken).toHaveLength(1);
  });

  test.each([
    ['settings', 'src/hosted/a.ts', "import '../dispatcher/settings.ts'"],
    ['row types', 'src/hosted/a.ts', "import type { PodRow } from '../dispatcher/tables.ts'"],
    ['migrations', 'src/hosted/a.ts', "import '../dispatcher/migrations/0001-x.ts'"],
    ['tables', 'src/hosted/b-store.ts', "session.query.selectFrom('pods as p').selectAll()"],
    ['tables in plain SQL', 'src/hosted/b-store.ts', 'sql`select * from pods where x = 1`'],
  ])("another room's %s are refused", (_, path, text) => {
    const owner = "declare module '../platform/database/tables.ts' { interface Tables { pods: PodRow } }";
    const broken = judge({ 'src/dispatcher/tables.ts': owner, [path]: text });
    expect(broken).toContainEqual(expect.stringMatching(/^src\/hosted.* only src\/dispatcher may use it$/));
  });

  test('a table that two rooms declare is refused', () => {
    const text = 'export interface Tables { pods: PodRow }';
    const broken = judge({ 'src/dispatcher/tables.ts': text, 'src/management/tables.ts': text });
    expect(broken).toEqual([expect.stringContaining('src/management/tables.ts declares pods')]);
  });

  test('files in a circle are refused, a circle of types is not', () => {
    const circle = (kind: string) =>
      judge({
        'src/contracts/a.ts': `${kind} { b } from './b.ts'`,
        'src/contracts/b.ts': "import { a } from './a.ts'",
      });
    expect(circle('import type')).toEqual([]);
    expect(circle('import')).toEqual([
      expect.stringContaining('src/contracts/a.ts → src/contracts/b.ts → src/contracts/a.ts'),
    ]);
  });

  test('a folder that is no room is refused', () => {
    expect(judge({ 'src/helpers/a.ts': '' })).toEqual(['src/helpers/a.ts: it belongs to no room']);
  });

  test('what the house allows is allowed', () => {
    expect(
      judge({
        'src/cli/commands/serve.ts': "import '../../server.ts'; import '../../platform/config/load.ts'",
        'src/server.ts': "import './dispatcher/service.ts'; import './pod/server.ts'",
        'src/pod/server.ts':
          "import '../platform/http/app.ts'; import '../platform/wire/head.ts'; import './engines/echo.ts'; import 'undici'",
        'src/dispatcher/pods/pod-store.ts':
          "import '../../platform/database/database.ts'; import '../calls/proxy.ts'",
        'src/hosted/a.ts':
          "// import '../chatbot/b.ts' and process.env\nconst text = \"import '../chatbot/b.ts'; process.env\"",
        'src/hosted/a.test.ts': "import '../../test/testkit/requirement.ts'; import '../server.ts'",
        'src/platform/config/environment.ts': 'export const environment = process.env',
      }),
    ).toEqual([]);
  });
});
