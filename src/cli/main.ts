#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Caches compiled code between starts. It applies only to modules that are imported after this line.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)));

const { forbidTelemetry } = await import('../platform/config/environment.ts');
forbidTelemetry();

const { runCommandLine } = await import('./program.ts');
await runCommandLine(process.argv);
