import type { z } from 'zod';
import { resolvePlatform } from '../../src/platform/config/resolve-platform.ts';
import { type Config, ConfigInput } from '../../src/settings.ts';

/** The default configuration for a folder, with some settings changed. */
export function configWith(settings: z.input<typeof ConfigInput>, workingDirectory: string): Config {
  return resolvePlatform(ConfigInput.parse(settings), workingDirectory).config;
}
