// Checks the size of the installation: at most 700 MB without a GPU, including test tools.
import { globSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';

const limit = 700;
const root = dirname(import.meta.dirname);

const folders = new Map<string, number>();
for (const file of globSync('{node_modules,.node}/**', { cwd: root })) {
  const { blocks } = lstatSync(join(root, file));
  const [top = '', scope = '', name = ''] = file.split('/');
  const folder = scope.startsWith('@') ? `${top}/${scope}/${name}` : `${top}/${scope}`;
  folders.set(folder, (folders.get(folder) ?? 0) + (blocks * 512) / 1e6);
}
const total = [...folders.values()].reduce((sum, size) => sum + size, 0);
const onDemand = [...folders.keys()].filter((folder) => /-(cuda|cuda-ext|vulkan)$/.test(folder));

console.log(`${Math.round(total)} MB installed`);
for (const [folder, size] of [...folders].sort(([, a], [, b]) => b - a).slice(0, 10)) {
  console.log(`${Math.round(size).toString().padStart(6)} MB  ${folder}`);
}
if (total > limit && onDemand.length === 0) {
  console.error(`more than ${limit} MB: remove more files with bootstrap/platform-packages.json`);
  process.exitCode = 1;
}
