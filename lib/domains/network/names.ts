import type { Prisma } from '@/lib/core/db/generated/client';
import { insert, type Sql, sql } from '@/lib/core/db/sql';
import { ifAdmitted } from '@/lib/core/quota/commit';

/** A name in a network: lowercase labels (RFC 1123) joined by dots, resolved as it is and below `.internal`. */
type Named = { network_id: string; name: string };

/**
 * A name that a device has in a network, as a statement of the write that makes the device or changes it. Together with
 * `reviseRouter` of that write the network's resolver answers it within a second. It goes with the device's ports.
 */
export const networkNameInsert = (name: Named & { project_id: string; device_id: string; addresses: string[] }): Sql =>
  insert<Prisma.NetworkNameUncheckedCreateInput>('network_names', name, ifAdmitted);

/** Moves a name to other addresses. */
export const networkNameMove = ({ network_id, name }: Named, addresses: readonly string[]): Sql => sql`
  UPDATE network_names SET addresses = ${addresses}::inet[] FROM verdict
  WHERE verdict.ok AND network_names.network_id = ${network_id}::uuid AND network_names.name = ${name}::text`;

/** Whether a name is in use in a network, for `taken` of a write. */
export const networkNameTaken = ({ network_id, name }: Named): Sql => sql`
  EXISTS (SELECT FROM network_names WHERE network_id = ${network_id}::uuid AND name = ${name}::text)`;
