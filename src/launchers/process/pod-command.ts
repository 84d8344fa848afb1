import type { PodToLaunch } from '../../contracts/launching.ts';

export interface PodCommand {
  command: string;
  args: string[];
  /** Added to the launcher's own environment. */
  environment?: Record<string, string>;
}

/** The `roundhouse pod` command line of a pod. `main` is the program's entry file, run by the current Node. */
export function podCommand(main: string, pod: PodToLaunch, dispatcher: string | undefined): PodCommand {
  const flags: [string, string | number | undefined][] = [
    ['--pod-id', pod.pod_id],
    ['--engine', pod.engine],
    ['--task', pod.task],
    ['--model', pod.model],
    ['--model-name', pod.model_name],
    ['--served-model-name', pod.served_model_name],
    ['--dtype', pod.dtype],
    ['--quantization', pod.quantization],
    ['--max-model-len', pod.max_model_len],
    ['--gpu-memory-utilization', pod.gpu_memory_utilization],
    ['--tensor-parallel', pod.tensor_parallel],
    ['--threads', pod.threads],
    ['--parallel', pod.parallel],
    ['--host', pod.host],
    ['--port', pod.port ?? 0],
    ['--dispatcher', dispatcher],
    ...(pod.adapters ?? []).map((adapter): [string, string] => [
      '--adapter',
      `${adapter.name}=${adapter.path}`,
    ]),
  ];
  const args = flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, String(value)]));
  const extra = pod.extra_arguments?.length ? ['--', ...pod.extra_arguments] : [];
  const environment: Record<string, string> =
    // Without the order, CUDA numbers the fastest GPU first, unlike nvidia-smi.
    pod.gpu_id === undefined ? {} : { CUDA_VISIBLE_DEVICES: pod.gpu_id, CUDA_DEVICE_ORDER: 'PCI_BUS_ID' };
  return { command: process.execPath, args: [main, 'pod', ...args, ...extra], environment };
}
