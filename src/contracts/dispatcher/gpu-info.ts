import { z } from 'zod';

/** `GET /v1/gpu_info`, as the benchmark compressa-perf reads it. */
export const GpuInfo = z
  .object({ 'DRIVER VERSION': z.string(), 'CUDA VERSION': z.string(), HARDWARE: z.string() })
  .meta({ id: 'GpuInfo' });
export type GpuInfo = z.infer<typeof GpuInfo>;
