import type { Row } from '@/lib/client/list';
import type { Claim } from '@/lib/pricing/quote';

type Flavor = Pick<Row<'/api/v1/compute/flavors'>, 'vcpus' | 'ram_gb' | 'disk_gb' | 'gpu_slices'>;

/** What an instance of a flavor is billed for while it runs. */
export function claimsOf({ vcpus, ram_gb, disk_gb, gpu_slices }: Flavor): Claim[] {
  return [
    { metric: 'compute_vcpu', quantity: vcpus },
    { metric: 'compute_memory', quantity: ram_gb },
    { metric: 'block_storage', quantity: disk_gb, label: 'Boot disk' },
    { metric: 'gpu_slice', quantity: gpu_slices },
  ];
}
