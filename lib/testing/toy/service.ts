import { randomBytes } from 'node:crypto';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, conflict, notFound } from '@/lib/core/api/errors';
import { seal } from '@/lib/core/crypto/seal';
import { newId } from '@/lib/core/db/id';
import { query, queryOne } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import { deviceInsert } from '@/lib/core/devices/device';
import type { NewOperation } from '@/lib/core/operations/enqueue';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { hasTags } from '@/lib/core/tags/filter';
import { settleRouter } from '@/lib/domains/network/floating-ips';
import { freeAddresses } from '@/lib/domains/network/free-address';
import { networkNameInsert } from '@/lib/domains/network/names';
import {
  addressedNetworks,
  addressSpace,
  carryGroups,
  newMac,
  portInsert,
  requireGroups,
} from '@/lib/domains/network/ports';
import { memoryMbOf } from './member-spec';
import { createToyKind, deleteToyKind, upgradeToyKind } from './operations';
import type { CreateToy, Toy } from './schema';

type Row = Omit<Toy, 'created_at' | 'updated_at'> & { cell_id: string; created_at: Date; updated_at: Date };

const columns = raw(
  'id, name, status, status_reason, version, network_id, host(address) AS address, cell_id, created_at, updated_at',
);

const view = ({ cell_id: _, ...row }: Row): Toy => ({
  ...row,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export async function listToys(call: ProjectCall, tags: readonly string[] = []): Promise<Toy[]> {
  const wanted = tags.length > 0 ? hasTags('toys')(tags) : raw('true');
  const rows = await query<Row>(
    sql`SELECT ${columns} FROM toys WHERE project_id = ${call.project_id}::uuid AND ${wanted} ORDER BY id`,
  );
  return rows.map(view);
}

/** @throws ApiError 404 */
async function readRow(call: ProjectCall, id: string): Promise<Row> {
  const row = await queryOne<Row>(
    sql`SELECT ${columns} FROM toys WHERE project_id = ${call.project_id}::uuid AND id = ${id}::uuid`,
  );
  if (!row) throw notFound('The toy');
  return row;
}

export const readToy = async (call: ProjectCall, id: string): Promise<Toy> => view(await readRow(call, id));

/** Creates two members and an address that moves between them in one statement; the cell's worker starts them. */
export async function createToy(call: ProjectCall, { name, network_id, security_group_ids }: CreateToy): Promise<Toy> {
  const { project_id } = call;
  const [cell] = await query<{ id: string }>(sql`SELECT id FROM cells ORDER BY id LIMIT 1`);
  await requireGroups(call, security_group_ids);
  const [network] = await addressedNetworks(call, network_id);
  const space = network && addressSpace(network.id, network.cidr, network.gateway_ip);
  const [address, ...own] = space ? await freeAddresses(space, 3) : [];
  if (!cell || !address || own.length < 2) throw conflict('network_id: the network has no free addresses.');
  const times = { created_at: call.at, updated_at: call.at };
  const id = newId();
  const row = { id, name, status: 'creating' as const, status_reason: null, version: 1, network_id, address, ...times };
  const port = (device_id: string, ip: string, hostname: string) => ({
    id: newId(),
    project_id,
    network_id,
    device_id,
    mac: newMac(),
    ip,
    hostname,
    ...times,
  });
  // Traffic to the address is filtered by the groups of its own port, whichever member answers.
  const shared = { ...port(id, address, name), attachment: 'none' as const };
  const members = [1, 2].map((ordinal) => ({ id: newId(), ordinal }));
  const memberRows = members.map(({ id: member, ordinal }): [string, Sql][] => {
    const own_port = port(member, own[ordinal - 1] ?? '', `${name}-${ordinal}`);
    return [
      [`device${ordinal}`, deviceInsert(project_id, member, 'toy_member')],
      [
        `member${ordinal}`,
        insert('toy_members', { id: member, project_id, toy_id: id, ordinal, version: 1 }, ifAdmitted),
      ],
      [`port${ordinal}`, portInsert({ ...own_port, attachment: 'veth', shared_addresses: [address] })],
      [`carried${ordinal}`, carryGroups(project_id, own_port.id, security_group_ids)],
    ];
  });
  await commit(call, {
    resource: { type: 'toy', id, name },
    taken: {
      when: sql`EXISTS (SELECT FROM toys WHERE project_id = ${project_id}::uuid AND name = ${name}::text)`,
      message: `name: the project already has a toy named ${name}.`,
    },
    claims: [{ dimension: 'databases', amount: 1 }],
    freezable: true,
    needs: members.map((one) => ({ cell: cell.id, device: one.id, amounts: { memory_mb: memoryMbOf(1) } })),
    room: {
      fits: raw('true'),
      refusal: new ApiError('CAPACITY_EXHAUSTED', 'No host has enough free capacity for a toy. Try again later.'),
    },
    rows: {
      device: deviceInsert(project_id, id, 'toy'),
      toy: insert(
        'toys',
        { ...row, project_id, cell_id: cell.id, active_member: 1, sealed_password: sealedPassword(id) },
        ifAdmitted,
      ),
      address: portInsert(shared),
      carried: carryGroups(project_id, shared.id, security_group_ids),
      ...Object.fromEntries(memberRows.flat()),
      named: networkNameInsert({ network_id, project_id, device_id: id, name: `${name}.toys`, addresses: [address] }),
      settled: settleRouter(project_id, cell.id),
    },
    operation: createToyKind.start(id, {}, { cell_id: cell.id }),
    answer: { status: 201, body: view({ ...row, cell_id: cell.id }) },
  });
  return view({ ...row, cell_id: cell.id });
}

const sealedPassword = (id: string) => seal(Buffer.from(randomBytes(16).toString('hex')), `toys:${id}`);

/** @throws ApiError 404, or 409 during another operation */
export async function upgradeToy(call: ProjectCall, id: string, version: number): Promise<Toy> {
  const { cell_id } = await readRow(call, id);
  await change(call, id, "t.status = 'active'", 'upgrading', upgradeToyKind.start(id, { version }, { cell_id }));
  return readToy(call, id);
}

/** @throws ApiError 404 */
export async function deleteToy(call: ProjectCall, id: string): Promise<Toy> {
  const { cell_id } = await readRow(call, id);
  await change(call, id, "t.status <> 'deleting'", 'deleting', deleteToyKind.start(id, {}, { cell_id }));
  return readToy(call, id);
}

async function change(call: ProjectCall, id: string, allowed: string, status: Toy['status'], operation: NewOperation) {
  await commit(call, {
    resource: { type: 'toy', id },
    target: sql`SELECT ${raw(allowed)} AS allowed, t.status AS state FROM k JOIN toys t ON t.project_id = k.project_id
      WHERE t.id = ${id}::uuid FOR UPDATE OF t`,
    rows: {
      changed: sql`UPDATE toys SET status = ${status}::text, updated_at = platform_now() FROM verdict
        WHERE verdict.ok AND toys.id = ${id}::uuid`,
    },
    operation,
  });
}
