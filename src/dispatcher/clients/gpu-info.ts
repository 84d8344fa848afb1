import type { GpuInfo } from '../../contracts/dispatcher/gpu-info.ts';
import { describeHardware, type Hardware } from '../../platform/processes/describe-hardware.ts';
import type { PodRegistry } from '../pods/registry.ts';

/** What the live pods compute with; what this machine has, where no pod says so. */
export async function gpuInfo(registry: PodRegistry): Promise<GpuInfo> {
  const reported = Array.from(registry.all())
    .filter((pod) => registry.isLive(pod))
    .flatMap(({ info }) => asHardware(info));
  const machines = reported.length > 0 ? reported : [await describeHardware()];
  const all = (values: (string | null)[]) =>
    [...new Set(values.filter((value) => value !== null))].join('; ') || 'none';
  return {
    'DRIVER VERSION': all(machines.map((machine) => machine.driver_version)),
    'CUDA VERSION': all(machines.map((machine) => machine.cuda_version)),
    HARDWARE: all(machines.map((machine) => machine.hardware)),
  };
}

function asHardware(report: Record<string, unknown>): Hardware[] {
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 1000) : null);
  const hardware = text(report.hardware);
  if (hardware === null) return [];
  return [{ hardware, driver_version: text(report.driver_version), cuda_version: text(report.cuda_version) }];
}
