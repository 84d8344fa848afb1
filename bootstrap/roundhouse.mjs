#!/usr/bin/env node
import { join } from 'node:path';
import { root } from './paths.mjs';
import { run } from './run.mjs';

await run([join(root, 'src', 'cli', 'main.ts'), ...process.argv.slice(2)]);
