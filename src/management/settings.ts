import { z } from 'zod';
import { byteSize, duration } from '../platform/config/fields.ts';

const datasets = z.strictObject({
  max_size: byteSize()
    .default(2 ** 30)
    .describe('Largest file that can be uploaded as a data set.'),
});

const deployments = z.strictObject({
  drain_timeout: duration()
    .default(120_000)
    .describe('How long a replaced deployment may finish its running answers before its pods are stopped.'),
  handover: duration()
    .default(60_000)
    .describe(
      'How long requests that name the replaced model are answered by the new one, below /api and /inference.',
    ),
  ready_timeout: duration()
    .default(1_800_000)
    .describe('How long the pods of a new deployment may take to load.'),
});

const trainer = z.strictObject({
  device: z
    .enum(['auto', 'cpu', 'cuda'])
    .default('auto')
    .describe('Device for fine-tuning. auto: the GPU where there is one.'),
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
    .describe('Number of processor threads per training run. Default: the number of cores less one.'),
  torch_index: z
    .string()
    .optional()
    .describe(
      "Package index for PyTorch, or none for the ordinary one. Default: PyTorch's CPU index where there is no GPU.",
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
