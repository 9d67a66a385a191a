import type { Use } from '@/lib/money/metering/use';
import type { InstanceStatus } from './transitions';

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

/** What an instance is billed for in its current state, as the meter does; while it is created, what it will be billed for. */
export function billedNow({ status, launched_at, flavor }: Billed): Use[] {
  const kept = status === 'provisioning' || (launched_at !== null && status !== 'deleting');
  return billedWhileRunning({ ...(on.includes(status) ? flavor : off), disk_gb: kept ? flavor.disk_gb : 0 });
}

interface Billed {
  status: InstanceStatus;
  launched_at: string | null;
  flavor: Size;
}

const on: readonly InstanceStatus[] = ['provisioning', 'active', 'paused', 'rebooting', 'rebuilding'];
const off = { vcpus: 0, ram_gb: 0, gpu_slices: 0 };
