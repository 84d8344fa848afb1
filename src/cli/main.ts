#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Keeps the stripped and compiled code between starts. Only what is imported after this line profits.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)));

const { runCommandLine } = await import('./program.ts');
await runCommandLine(process.argv);
