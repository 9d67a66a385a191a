import { sql } from '@/lib/core/db/sql';
import type { DomainChecks } from '@/lib/core/domains/checks';

export const storageChecks: DomainChecks = {
  billing: [
    // A volume that grows is billed in its old size until it has grown.
    {
      resource_type: 'volume',
      metrics: ['block_storage'],
      free_in: ['creating', 'deleting', 'error'],
      unchanged_in: ['resizing'],
    },
    { resource_type: 'snapshot', metrics: ['block_storage'], billed_in: ['available'] },
  ],
  quota: sql`SELECT v.project_id, v.id, d.dimension, d.amount FROM volumes v
    CROSS JOIN LATERAL (VALUES ('volumes', 1::numeric), ('storage_tb', v.size_gb / 1024::numeric)) AS d (dimension, amount)`,
  devices: sql`SELECT id, 'volume' AS kind FROM volumes`,
};
