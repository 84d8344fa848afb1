import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

export interface Import {
  /** The file from the project's folder on (`src/server.ts`), or the package's name as it is written. */
  target: string;
  /** Gone at run time: `import type`. The arrows hold for it all the same. */
  typeOnly: boolean;
}

export interface SourceFile {
  path: string;
  imports: Import[];
  readsEnvironment: boolean;
  /** Tables that its queries name. */
  queries: string[];
  /** Tables that it adds to the database's `Tables`. */
  declares: string[];
  /** Names that it imports from `src/contracts/problems.ts`. */
  problems: string[];
  /** Makes a regular expression from a text that is not written in the file. */
  makesPatterns: boolean;
  /** Reads the body of an answer whole: `answer.body.text()`. */
  readsBodies: boolean;
}

/** Methods of the query builder whose first argument names a table. */
const queryMethods = new Set([
  'selectFrom',
  'insertInto',
  'updateTable',
  'deleteFrom',
  'mergeInto',
  'innerJoin',
  'leftJoin',
  'rightJoin',
  'fullJoin',
]);

const bodyMethods = new Set(['json', 'text', 'dump', 'arrayBuffer', 'bytes', 'blob']);

const root = dirname(dirname(import.meta.dirname));

/** Every TypeScript file below a folder of the project. */
export function readSources(folder: string): SourceFile[] {
  return globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root })
    .map((path) => path.split('\\').join('/'))
    .sort()
    .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')));
}

/** A real parser, since a pattern would see imports in strings and miss `import('x').Type`. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, errors } = parseSync(path, text);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const imports: Import[] = [];
  const queries: string[] = [];
  const declares: string[] = [];
  const problems: string[] = [];
  let readsEnvironment = false;
  let makesPatterns = false;
  let readsBodies = false;
  const pattern = (callee: { type: string; name?: unknown }, first: { type: string } | undefined) => {
    if (nameOf(callee) === 'RegExp' && first?.type !== 'Literal') makesPatterns = true;
  };
  const add = (specifier: unknown, typeOnly: boolean) => {
    if (typeof specifier === 'string') imports.push({ target: resolveSpecifier(path, specifier), typeOnly });
  };
  new Visitor({
    ImportDeclaration(node) {
      add(node.source.value, node.importKind === 'type');
      if (resolveSpecifier(path, node.source.value) === 'src/contracts/problems.ts') {
        for (const name of node.specifiers)
          if (name.type === 'ImportSpecifier') problems.push(String(nameOf(name.imported)));
      }
      const named = node.specifiers.some(
        (name) => name.type === 'ImportSpecifier' && nameOf(name.imported) === 'env',
      );
      if (named && /^(node:)?process$/.test(node.source.value)) readsEnvironment = true;
    },
    ExportNamedDeclaration: (node) => add(node.source?.value, node.exportKind === 'type'),
    ExportAllDeclaration: (node) => add(node.source.value, node.exportKind === 'type'),
    ImportExpression: (node) => add(literalOf(node.source), false),
    TSImportType: (node) => add(literalOf(node.source), true),
    // `new Worker(new URL('./worker.ts', import.meta.url))` runs the file as surely as an import does.
    NewExpression(node) {
      pattern(node.callee, node.arguments[0]);
      const specifier = literalOf(node.arguments[0]);
      const isUrl =
        node.callee.type === 'Identifier' && node.callee.name === 'URL' && node.arguments.length === 2;
      if (isUrl && typeof specifier === 'string' && /\.tsx?$/.test(specifier)) add(specifier, false);
    },
    CallExpression(node) {
      const { callee } = node;
      pattern(callee, node.arguments[0]);
      const method = callee.type === 'MemberExpression' ? nameOf(callee.property) : undefined;
      if (callee.type === 'MemberExpression' && bodyMethods.has(String(method))) {
        const { object } = callee;
        if (object.type === 'MemberExpression' && nameOf(object.property) === 'body') readsBodies = true;
      }
      const table = literalOf(node.arguments[0]);
      if (queryMethods.has(String(method)) && typeof table === 'string')
        queries.push(table.split(' ')[0] ?? '');
    },
    TaggedTemplateExpression(node) {
      if (nameOf(node.tag) !== 'sql') return;
      const text = node.quasi.quasis.map(({ value }) => value.raw).join(' ? ');
      for (const [, table] of text.matchAll(/\b(?:from|into|update|join)\s+([a-z_]+)/gi))
        queries.push(table ?? '');
    },
    TSInterfaceDeclaration(node) {
      if (node.id.name !== 'Tables') return;
      for (const member of node.body.body) {
        if (member.type === 'TSPropertySignature') declares.push(String(nameOf(member.key)));
      }
    },
    MemberExpression(node) {
      const property = node.computed ? literalOf(node.property) : nameOf(node.property);
      if (property === 'env' && node.object.type === 'Identifier' && node.object.name === 'process')
        readsEnvironment = true;
    },
    VariableDeclarator(node) {
      if (
        node.init?.type !== 'Identifier' ||
        node.init.name !== 'process' ||
        node.id.type !== 'ObjectPattern'
      )
        return;
      if (node.id.properties.some((it) => it.type === 'Property' && nameOf(it.key) === 'env'))
        readsEnvironment = true;
    },
  }).visit(program);
  return { path, imports, readsEnvironment, queries, declares, problems, makesPatterns, readsBodies };
}

function nameOf(node: { type: string; name?: unknown }): unknown {
  return node.type === 'Identifier' ? node.name : undefined;
}

function literalOf(node: { type: string; value?: unknown } | undefined): unknown {
  return node?.type === 'Literal' ? node.value : undefined;
}

function resolveSpecifier(from: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : specifier;
}
