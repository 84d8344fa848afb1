import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { queryGpus } from '../../platform/processes/nvidia-smi.ts';

export interface MachineUsage {
  cpu_utilization_pct: number;
  ram_usage_gb: number;
  gpu_memory_utilization: number | null;
  gpu_memory_used_mb: number | null;
  gpu_utilization_pct: number | null;
}

/**
 * Reads the resource usage of this process and its descendants. CPU usage covers the time since the previous call.
 */
export function machineUsageReader(gpuId: string | undefined): () => Promise<MachineUsage> {
  let before = { seconds: cpuSeconds(processTree()), at: performance.now() };
  let hasGpu = true;
  return async () => {
    const tree = processTree();
    const now = { seconds: cpuSeconds(tree), at: performance.now() };
    const elapsed = Math.max(0.001, (now.at - before.at) / 1000);
    const share = Math.max(0, now.seconds - before.seconds) / elapsed / cpus().length;
    before = now;
    const gpu = hasGpu ? await readGpu(gpuId) : undefined;
    hasGpu = gpu !== undefined;
    return {
      cpu_utilization_pct: round(Math.min(100, share * 100)),
      ram_usage_gb: round(memoryBytes(tree) / 1e9),
      gpu_memory_utilization: gpu ? round(gpu.used / gpu.total) : null,
      gpu_memory_used_mb: gpu?.used ?? null,
      gpu_utilization_pct: gpu?.utilization ?? null,
    };
  };
}

const round = (value: number) => Math.round(value * 1000) / 1000;

/** This process and its descendants, or only itself if the system does not list them. */
function processTree(): number[] {
  const found: number[] = [];
  const queue = [process.pid];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    found.push(pid);
    const children = read(`/proc/${pid}/task/${pid}/children`) ?? '';
    queue.push(...children.split(' ').filter(Boolean).map(Number));
  }
  return found;
}

/** Linux reports CPU time in hundredths of a second. */
function cpuSeconds(pids: number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const fields = read(`/proc/${pid}/stat`)
      ?.replace(/^.*\) /s, '')
      .split(' ');
    if (fields) ticks += Number(fields[11]) + Number(fields[12]);
  }
  if (ticks > 0) return ticks / 100;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function memoryBytes(pids: number[]): number {
  let kibibytes = 0;
  for (const pid of pids) {
    kibibytes += Number(/^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1] ?? 0);
  }
  return kibibytes > 0 ? kibibytes * 1024 : process.memoryUsage.rss();
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

interface GpuUsage {
  used: number;
  total: number;
  utilization: number;
}

/** Sums over this pod's GPUs, or over all GPUs; undefined if there are none. */
async function readGpu(gpuId: string | undefined): Promise<GpuUsage | undefined> {
  const rows = await queryGpus(['memory.used', 'memory.total', 'utilization.gpu'], gpuId);
  const sum = (column: number) => rows.reduce((total, row) => total + (row[column] ?? 0), 0);
  return sum(1) > 0 ? { used: sum(0), total: sum(1), utilization: sum(2) / rows.length } : undefined;
}
