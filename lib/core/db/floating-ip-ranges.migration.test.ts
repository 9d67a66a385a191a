import { expect, it } from 'vitest';
import { databaseAsOf } from '@/lib/testing/database';
import { migrate } from './migrate';

const ranges = '20261122171011_floating_ip_ranges';

it('the address pool of each cell becomes its first range, and cell counters still cannot be negative', async () => {
  const { url, client } = await databaseAsOf(ranges.split('_')[0] ?? '');
  await client.query(`
    INSERT INTO cells (id, vcpus_usable, memory_mb_usable, memory_mb_overhead, disk_gb_usable, gpu_slices_usable,
      floating_ip_first, floating_ip_last, seen_at)
    VALUES ('node-1', 4, 8000, 160, 100, 0, '198.18.0.1', '198.18.15.254', now())`);
  expect(await migrate(url, undefined, ranges)).toEqual([ranges]);
  const { rows } = await client.query(
    'SELECT cell_id, host(first) AS first, host(last) AS last FROM floating_ip_ranges',
  );
  expect(rows).toEqual([{ cell_id: 'node-1', first: '198.18.0.1', last: '198.18.15.254' }]);
  await expect(client.query('UPDATE cells SET vcpus_reserved = -1')).rejects.toThrow('cells_check');
  await expect(client.query(`UPDATE floating_ip_ranges SET last = '10.0.0.1'`)).rejects.toThrow(
    'floating_ip_ranges_check',
  );
});
