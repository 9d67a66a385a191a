import { sql } from '@/lib/core/db/sql';
import type { DomainChecks } from '@/lib/core/domains/checks';

export const computeChecks: DomainChecks = {
  billing: [
    {
      resource_type: 'instance',
      metrics: ['compute_vcpu', 'compute_memory', 'gpu_slice'],
      billed_in: ['active', 'paused', 'rebooting', 'rebuilding'],
      ends_when_lost: true,
    },
    // The boot disk: from the first start, on or off.
    { resource_type: 'instance', metrics: ['block_storage'], since: 'active', free_in: ['deleting'] },
  ],
  quota: sql`SELECT i.project_id, i.id, d.dimension, d.amount FROM instances i JOIN flavors f ON f.id = i.flavor_id
    CROSS JOIN LATERAL (VALUES ('instances', 1::numeric), ('vcpus', f.vcpus::numeric), ('ram_gb', f.ram_gb)) AS d (dimension, amount)`,
  devices: sql`SELECT id, 'instance' AS kind FROM instances`,
};
