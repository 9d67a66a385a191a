import { now } from '@/lib/clock';
import { newId } from '@/lib/core/db/id';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { ServiceSource } from '@/lib/hosts/services/engine';
import { countEgress } from '@/lib/money/metering/egress';

/** The run of this process, whose counters start at zero. */
const run = newId();
const told = new Map<string, number>();

/** Bills the members' traffic to the internet to their toy. */
export const countToyEgress: NonNullable<ServiceSource['countEgress']> = async (counted) => {
  const toys = await query<{ id: string; project_id: string; name: string }>(
    sql`SELECT id, project_id, name FROM toys WHERE id = ANY (${[...counted.keys()]}::uuid[])`,
  );
  const at = now();
  const readings = toys.map(({ id, project_id, name }) => ({
    project_id,
    device_id: id,
    resource: { type: 'toy', name },
    counter: { name: 'internet', run },
    at,
    bytes: (told.get(id) ?? 0) + (counted.get(id)?.sentBytes ?? 0),
  }));
  await countEgress(readings);
  for (const { device_id, bytes } of readings) told.set(device_id, bytes);
};
