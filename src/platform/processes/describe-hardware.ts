import { execFile } from 'node:child_process';
import { cpus, totalmem } from 'node:os';

/** What this machine computes with. Without a GPU, the processor and the memory. */
export interface Hardware {
  driver_version: string | null;
  cuda_version: string | null;
  hardware: string;
}

export async function describeHardware(): Promise<Hardware> {
  const query = ['--query-gpu=driver_version,name,memory.total', '--format=csv,noheader,nounits'];
  const [rows, summary] = await Promise.all([nvidiaSmi(query), nvidiaSmi([])]);
  return readHardware(rows, summary) ?? { driver_version: null, cuda_version: null, hardware: processor() };
}

/** Reads the driver's table of GPUs, and the version of CUDA from its summary. */
export function readHardware(rows: string, summary: string): Hardware | undefined {
  const gpus = rows.split('\n').flatMap((line) => {
    const [driver, name, mebibytes] = line.split(',').map((cell) => cell.trim());
    return driver && name ? [{ driver, name: `${name}${inGib(mebibytes)}` }] : [];
  });
  if (gpus[0] === undefined) return undefined;
  const counts = new Map<string, number>();
  for (const { name } of gpus) counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    driver_version: gpus[0].driver,
    cuda_version: /CUDA Version\s*:\s*(\d[\d.]*)/.exec(summary)?.[1] ?? null,
    hardware: Array.from(counts, ([name, count]) => (count > 1 ? `${count} × ${name}` : name)).join(', '),
  };
}

function inGib(mebibytes: string | undefined): string {
  const size = Number.parseFloat(mebibytes ?? '');
  return Number.isFinite(size) ? ` (${Math.round(size / 1024)} GiB)` : '';
}

function processor(): string {
  const all = cpus();
  const name = all[0]?.model.trim() || 'unknown processor';
  return `${all.length} × ${name}, ${Math.round(totalmem() / 2 ** 30)} GiB RAM`;
}

function nvidiaSmi(args: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile('nvidia-smi', args, { timeout: 4_000 }, (error, output) => resolve(error ? '' : output));
  });
}
