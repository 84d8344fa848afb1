import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The tokenizer's settings in a model's folder; undefined where the model is no folder or has none. */
export function readTokenizerConfig(model: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(model, 'tokenizer_config.json'), 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
