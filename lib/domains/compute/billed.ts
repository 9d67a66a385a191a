import type { Use } from '@/lib/money/metering/use';

type Size = { vcpus: number; ram_gb: number; disk_gb: number; gpu_slices: number };

/** What an instance of a flavor is billed for while it runs; while it is stopped, only the boot disk is. */
export function billedWhileRunning({ vcpus, ram_gb, disk_gb, gpu_slices }: Size): Use[] {
  return [
    { metric: 'compute_vcpu', quantity: vcpus },
    { metric: 'compute_memory', quantity: ram_gb },
    { metric: 'block_storage', quantity: disk_gb, label: 'Boot disk' },
    { metric: 'gpu_slice', quantity: gpu_slices },
  ];
}
