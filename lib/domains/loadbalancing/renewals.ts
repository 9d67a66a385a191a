import { sql } from '@/lib/core/db/sql';
import { nodeSpecs } from './node-spec';
import { socketOf } from './nodes';
import { settleTls } from './runtime-certificates';

/** Brings new and renewed certificates into the running nodes of a cell, without a reload. */
export async function settleCertificates(cell: string): Promise<void> {
  const specs = await nodeSpecs(sql`b.cell_id = ${cell}::text AND b.status IN ('active', 'error')`);
  await Promise.all(specs.map(({ id, files }) => settleTls(socketOf(cell, id), files)));
}
