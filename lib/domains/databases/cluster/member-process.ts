import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import type { ServiceSpec } from '@/lib/hosts/services/engine';
import { log } from '@/lib/log';
import { type Cluster, type Member, readCluster } from './clusters';
import { MemberError } from './member-error';
import { endpointSpec } from './specs';

type SpecOf = (cluster: Cluster, member: Member) => Promise<ServiceSpec>;
const starting = new Set<string>();

/** Brings a member to its desired state in the background: a start may take long, and the cluster is watched meanwhile. */
export function startMember(specOf: SpecOf, cluster: Pick<Cluster, 'id' | 'cell_id'>, memberId: string): void {
  if (starting.has(memberId)) return;
  starting.add(memberId);
  ensureMember(specOf, cluster, memberId)
    .catch((error) => log.warn({ err: error, member: memberId }, 'a member could not be started'))
    .finally(() => starting.delete(memberId));
}

async function ensureMember(
  specOf: SpecOf,
  { id, cell_id }: Pick<Cluster, 'id' | 'cell_id'>,
  memberId: string,
): Promise<void> {
  const cluster = await readCluster(id);
  const member = cluster?.members.find((one) => one.id === memberId);
  if (cluster && member && cluster.status !== 'deleting')
    await engineOf(cell_id).services.ensureService(await specOf(cluster, member));
}

/**
 * Brings a member to the desired state that a cluster's rows give it, which need not be the present ones.
 * @throws MemberError where it is not in that state yet
 */
export async function settleMember(specOf: SpecOf, cluster: Cluster, member: Member): Promise<void> {
  const answer = await engineOf(cluster.cell_id).services.ensureService(await specOf(cluster, member));
  if (!answer.settled) throw new MemberError('starting', undefined);
}

/** Ends a member that hangs, and starts it anew. */
export function restartMember(specOf: SpecOf, cluster: Cluster, member: Member): void {
  log.warn({ cluster: cluster.id, member: member.ordinal }, 'a member hangs: it is started anew');
  engineOf(cluster.cell_id)
    .services.killService(member.id)
    .then(() => startMember(specOf, cluster, member.id))
    .catch((error) => log.warn({ err: error, member: member.id }, 'a member that hangs could not be ended'));
}

/** Has a standby that cannot follow copy the primary's data anew. */
export function rebuildMember(specOf: SpecOf, cluster: Cluster, member: Member): void {
  log.warn(
    { cluster: cluster.id, member: member.ordinal },
    'a standby cannot follow the primary: its data are copied anew',
  );
  execute(
    sql`UPDATE database_members SET incarnation = incarnation + 1, in_sync = false WHERE id = ${member.id}::uuid AND role = 'standby' AND incarnation = ${member.incarnation}::int`,
  )
    .then(() => startMember(specOf, cluster, member.id))
    .catch((error) => log.warn({ err: error, member: member.id }, 'a standby could not be rebuilt'));
}

/** Ends an endpoint that does not answer, and starts it anew. */
export function restartEndpoint(cluster: Cluster): void {
  const { services } = engineOf(cluster.cell_id);
  services
    .killService(cluster.id)
    .then(async () => services.ensureService(await endpointSpec(cluster)))
    .catch((error) => log.warn({ err: error, cluster: cluster.id }, 'a silent endpoint could not be restarted'));
}
