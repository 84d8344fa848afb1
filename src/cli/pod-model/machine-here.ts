import { enginesHere } from '../../models/engines-here.ts';
import { processEnvironment } from '../../platform/config/environment.ts';
import { queryGpus } from '../../platform/processes/nvidia-smi.ts';
import type { Machine } from './fit-engine.ts';

export async function machineHere(): Promise<Machine> {
  const gpus = await queryGpus(['memory.total']);
  return { engines: enginesHere(processEnvironment()), gpu: gpus.length > 0 };
}
