// Fails if the documentation mentions a path that does not exist.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface NamedPath {
  line: number;
  path: string;
}

/** Top-level folders; text that starts with one of them is treated as a path. */
const folders = ['src', 'test', 'docs', 'bench', 'scripts', 'bootstrap', 'deploy', 'web', 'trainer', '.ci'];

/** Repository paths in a Markdown text, in backticks or links. Patterns with `{a,b}`, `*`, `<…>` or `…` are skipped. */
export function namedPaths(text: string, folder = '.'): NamedPath[] {
  return text.split('\n').flatMap((content, index) => {
    const quoted = [...content.matchAll(/`([^`\s]+)`/g)].flatMap(([, word = '']) => {
      const path = word.replace(/[.,;]$/, '').replace(/:\d+$/, '');
      const first = path.split('/')[0] ?? '';
      const isPath = path.includes('/') && folders.includes(first) && !/[*<>{}…$]/.test(path);
      return isPath ? [path] : [];
    });
    const linked = [...content.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      const path = target.replace(/#.*$/, '');
      return path === '' || /^[a-z]+:/i.test(path) || path.startsWith('/') ? [] : [join(folder, path)];
    });
    return [...quoted, ...linked].map((path) => ({ line: index + 1, path: normalize(path) }));
  });
}

export function missingPaths(root: string, files: string[]): string[] {
  return files.flatMap((file) =>
    namedPaths(readFileSync(join(root, file), 'utf8'), dirname(file))
      .filter(({ path }) => !existsSync(join(root, path)))
      .map(({ line, path }) => `${file}:${line} names ${path}, which does not exist`),
  );
}

if (import.meta.main) {
  const root = dirname(import.meta.dirname);
  const files = globSync(['*.md', 'docs/**/*.md', '{web,trainer,deploy,bench}/*.md'], { cwd: root });
  const missing = missingPaths(root, files);
  for (const line of missing) console.error(line);
  process.exitCode = missing.length === 0 ? 0 : 1;
}
