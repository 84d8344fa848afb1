import { z } from 'zod';
import { byteSize, timedDuration } from '../platform/config/fields.ts';

const datasets = z.strictObject({
  max_size: byteSize()
    .default(2 ** 30)
    .describe('Largest file that can be uploaded as a data set.'),
});

const deployments = z.strictObject({
  drain_timeout: timedDuration()
    .default(120_000)
    .describe(
      'How long the pods of a replaced deployment may finish running requests before they are stopped.',
    ),
  handover: timedDuration()
    .default(60_000)
    .describe('How long requests below /api and /inference that name a replaced model go to its successor.'),
  ready_timeout: timedDuration()
    .default(1_800_000)
    .describe('How long the pods of a new deployment may take to load.'),
});

const trainer = z.strictObject({
  device: z
    .enum(['auto', 'cpu', 'cuda'])
    .default('auto')
    .describe('Device for fine-tuning. auto: the GPU if there is one.'),
  home: z
    .string()
    .optional()
    .describe(
      "Folder for the trainer's Python packages and the files it unpacks. Default: ~/.cache/roundhouse.",
    ),
  nice: z
    .int()
    .min(0)
    .max(19)
    .default(5)
    .describe('Niceness of training processes, so that serving takes precedence.'),
  python: z
    .string()
    .optional()
    .describe('Python (3.11 or newer) that installs the packages. Default: python3.'),
  threads: z
    .int()
    .min(1)
    .optional()
    .describe('Number of processor threads per training run. Default: one fewer than cores.'),
  torch_index: z
    .string()
    .optional()
    .describe(
      "Package index for PyTorch. none: the same index as for other packages. Default: PyTorch's CPU index, without a GPU.",
    ),
});

export const managementSettings = {
  starter: z.boolean().default(true).describe('Fetch and serve the starter models.'),
  datasets: datasets.prefault({}),
  deployments: deployments.prefault({}),
  trainer: trainer.prefault({}),
};

const ManagementSettings = z.object(managementSettings);
export type ManagementSettings = z.output<typeof ManagementSettings>;
