import { now } from '@/lib/clock';
import { auditInsert } from '@/lib/core/audit/entry';
import { signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { execute, query } from '@/lib/core/db/pool';
import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { backendName, frontendName, LINK, serverName } from './configuration';
import { nodeSpecs } from './node-spec';
import { type Balancer, type Node, readBalancers, settleMembers, statsOf } from './nodes';
import type { Stat } from './runtime-api';
import { type MemberStatus, NOT_CHECKED, type NodeStatus, type OperatingStatus } from './schema';

/** A node that has been silent for this long is restarted. */
const HUNG_MS = 5_000;
/** Totals of requests may be this old: each write costs the database more than a look does. */
const COUNT_MS = 1_000;

/** `works`: it answers, and its link is up. */
type Answered = { node: Node; stats: Stat[] | undefined; works: boolean };
type Seen = { id: string; status: MemberStatus; reason: string | null };

type Known = {
  /** When each node began to be silent. A node that is being restarted is `Infinity`: nothing else is done to it. */
  silentSince: Map<string, number>;
  /** When the requests of each load balancer were last added up. */
  countedAt: Map<string, number>;
};

/** Watches the load balancers of a cell: fail-over, members and observed states. */
export function balancerObserver(cell: string) {
  const known: Known = { silentSince: new Map(), countedAt: new Map() };
  return async () => {
    const balancers = await readBalancers(
      sql`b.cell_id = ${cell}::text AND b.status IN ('active', 'pending_update', 'error')`,
    );
    const looks = await Promise.allSettled(balancers.map((one) => observe(cell, one, known)));
    for (const look of looks)
      if (look.status === 'rejected') log.warn({ err: look.reason }, 'a load balancer could not be observed');
  };
}

async function observe(cell: string, balancer: Balancer, { silentSince, countedAt }: Known): Promise<void> {
  const answers = await Promise.all(
    balancer.nodes.map(async (node): Promise<Answered> => {
      const stats = await statsOf(cell, node.id);
      return { node, stats, works: stats !== undefined && hasLink(stats) };
    }),
  );
  const active = answers.find(({ node }) => node.ordinal === balancer.active_ordinal);
  const standby = answers.find(({ node }) => node.ordinal !== balancer.active_ordinal);
  const failsOver = active?.works === false && standby?.works === true;
  if (failsOver) await moveTo(cell, balancer, standby.node);
  for (const { node, stats } of answers) {
    if (stats) {
      silentSince.delete(node.id);
      await settleMembers(cell, node.id, balancer.pools, stats);
    } else restartIfHung(cell, node, silentSince);
  }
  const isDue = performance.now() - (countedAt.get(balancer.id) ?? Number.NEGATIVE_INFINITY) >= COUNT_MS;
  if (isDue) countedAt.set(balancer.id, performance.now());
  await noteStates(balancer, answers, failsOver ? standby : active);
  if (isDue) await noteRequests(balancer, answers);
}

/** Attaches the virtual IP to another node. */
async function moveTo(cell: string, balancer: Balancer, to: Node): Promise<void> {
  const { id, name, active_ordinal } = balancer;
  log.warn({ load_balancer: id, name, node: to.ordinal }, 'the active node does not work: the virtual IP moves');
  const moved = await execute(sql`
    WITH moved AS (
      UPDATE load_balancers SET active_ordinal = ${to.ordinal}::int, moves = moves + 1
      WHERE id = ${id}::uuid AND active_ordinal = ${active_ordinal}::int RETURNING id
    ), noted AS (${event(balancer, 'fail_over', { from: active_ordinal, to: to.ordinal }, sql`moved`)})
    SELECT FROM moved`);
  if (moved === 0) return;
  const specs = await nodeSpecs(sql`b.id = ${id}::uuid`);
  const { services } = engineOf(cell);
  await Promise.all(
    specs.map((spec) =>
      spec.port === null
        ? undefined
        : services.moveAddresses(spec.id, spec.port).catch((error) => {
            // A failed node may be gone; the next look at all services brings it back, without the virtual IP.
            log.warn({ err: error, service: spec.id }, 'the addresses of a node could not be changed');
          }),
    ),
  );
}

/** An entry of the activity that the platform causes itself. @param from one row if it happened */
function event({ id, project_id, name }: Balancer, action: string, details: Record<string, unknown>, from: Sql): Sql {
  return auditInsert(
    { at: now(), caller: undefined, address: null, request_id: null },
    {
      action: `load_balancer.${action}`,
      actor: { actor_type: 'host', actor_id: null, actor_name: 'the platform' },
      result: 'succeeded',
      status: 200,
      project_id,
      resource: { type: 'load_balancer', id, name },
      details,
      activity: true,
    },
    from,
  );
}

/** Does not wait for the restart: the other load balancers are watched meanwhile. */
function restartIfHung(cell: string, { id }: Node, silentSince: Known['silentSince']): void {
  const since = silentSince.get(id) ?? performance.now();
  silentSince.set(id, since);
  if (performance.now() - since < HUNG_MS) return;
  silentSince.set(id, Number.POSITIVE_INFINITY);
  restart(cell, id)
    .catch((error) => log.warn({ err: error, service: id }, 'a silent node could not be restarted'))
    .finally(() => silentSince.delete(id));
}

async function restart(cell: string, id: string): Promise<void> {
  const { services } = engineOf(cell);
  await services.stopService(id);
  for (const spec of await nodeSpecs(sql`n.id = ${id}::uuid`)) await services.ensureService(spec);
}

const hasLink = (stats: readonly Stat[]) =>
  stats.some(
    ({ pxname, svname, status }) => pxname === LINK.pxname && svname === LINK.svname && status?.startsWith('UP'),
  );

async function noteStates(
  balancer: Balancer,
  answers: readonly Answered[],
  serving: Answered | undefined,
): Promise<void> {
  const stats = serving?.works ? serving.stats : undefined;
  const members = stats ? membersSeen(balancer, stats) : [];
  const standbyIsDown = answers.some((one) => one !== serving && !one.works);
  const status = stats ? operatingStatus(members, standbyIsDown) : 'error';
  const reason = stats === undefined ? 'Neither node works.' : standbyIsDown ? 'The stand-by node is down.' : null;
  const nodes = answers.map(({ node, works }): { id: string; status: NodeStatus } => ({
    id: node.id,
    status: works ? 'up' : 'down',
  }));
  const changed = await query(sql`
    WITH seen AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(members)}::jsonb) AS s (id uuid, status text, reason text)),
    ${join(healthEvents(balancer, members), '')} members AS (
      UPDATE load_balancer_members m SET status = seen.status, status_reason = seen.reason,
        last_change_at = CASE WHEN m.status = seen.status THEN m.last_change_at ELSE platform_now() END
      FROM seen WHERE m.id = seen.id AND (m.status, m.status_reason) IS DISTINCT FROM (seen.status, seen.reason) RETURNING m.id
    ), nodes AS (
      UPDATE load_balancer_nodes n SET status = s.status
      FROM jsonb_to_recordset(${JSON.stringify(nodes)}::jsonb) AS s (id uuid, status text)
      WHERE n.id = s.id AND n.status <> s.status RETURNING n.id
    ), balancer AS (
      UPDATE load_balancers b SET operating_status = ${status}::text, status_reason = CASE WHEN b.status = 'error' THEN b.status_reason ELSE ${reason}::text END
      WHERE b.id = ${balancer.id}::uuid AND (b.operating_status, b.status_reason) IS DISTINCT FROM
        (${status}::text, CASE WHEN b.status = 'error' THEN b.status_reason ELSE ${reason}::text END) RETURNING b.id
    )
    ${hintInsert(
      { project_id: balancer.project_id, topic: 'load_balancer', resource_id: balancer.id },
      raw(
        '(SELECT 1) AS always WHERE EXISTS (SELECT FROM members) OR EXISTS (SELECT FROM nodes) OR EXISTS (SELECT FROM balancer)',
      ),
    )} RETURNING topic`);
  if (changed.length > 0) signalChange();
}

/** Parts of a statement with `seen`, one for each member that began to fail or recovered. */
function healthEvents(balancer: Balancer, seen: readonly Seen[]): Sql[] {
  const known = new Map(balancer.pools.flatMap(({ members }) => members.map((member) => [member.id, member])));
  return seen.flatMap(({ id, status, reason }, index) => {
    const before = known.get(id);
    if (!before || before.status_reason === NOT_CHECKED || (before.status === 'down') === (status === 'down'))
      return [];
    const { name, address, port } = before;
    const changed = sql`load_balancer_members m WHERE m.id = ${id}::uuid AND m.status = ${before.status}::text`;
    const action = status === 'down' ? 'member_down' : 'member_up';
    return [
      sql`${raw(`event${index}`)} AS (${event(balancer, action, { member: name, address, port, reason }, changed)}),`,
    ];
  });
}

function membersSeen({ pools }: Balancer, stats: readonly Stat[]): Seen[] {
  return pools.flatMap(({ listener_id, members }) =>
    members.flatMap(({ id, slot }) => {
      const stat = stats.find(
        ({ pxname, svname }) => pxname === backendName(listener_id) && svname === serverName(slot),
      );
      return stat ? [{ id, ...stateOf(stat) }] : [];
    }),
  );
}

/** A member's state from a line of `show stat`. */
function stateOf({ status = '', weight, last_chk = '', check_desc = '' }: Stat): {
  status: MemberStatus;
  reason: string | null;
} {
  const serves = status.startsWith('UP') || status === 'no check';
  if (serves && weight === '0') return { status: 'draining', reason: null };
  if (status === 'no check') return { status: 'no_check', reason: null };
  if (serves) return { status: 'up', reason: null };
  return { status: 'down', reason: last_chk || check_desc || NOT_CHECKED };
}

function operatingStatus(members: readonly Seen[], standbyIsDown: boolean): OperatingStatus {
  const serving = members.filter(({ status }) => status !== 'down');
  if (serving.length === 0) return 'offline';
  if (standbyIsDown || serving.length < members.length) return 'degraded';
  return members.every(({ status }) => status === 'no_check') ? 'no_monitor' : 'online';
}

/**
 * Connections and requests of the listeners, of both nodes. A process that has restarted or reloaded counts from 0 again:
 * what it counts is added to the total.
 */
async function noteRequests({ pools }: Balancer, answers: readonly Answered[]): Promise<void> {
  const counts = answers.flatMap(({ node, stats }) =>
    pools.flatMap(({ listener_id }) => {
      const stat = stats?.find(({ pxname, svname }) => pxname === frontendName(listener_id) && svname === 'FRONTEND');
      if (!stat) return [];
      const requests = Number(stat.req_tot || stat.stot);
      return [{ node: node.id, listener: listener_id, connections: Number(stat.scur), requests }];
    }),
  );
  await execute(sql`
    WITH seen AS (
      SELECT s.*, coalesce((n.counted ->> s.listener::text)::bigint, 0) AS counted
      FROM jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) AS s (node uuid, listener uuid, connections int, requests bigint)
      JOIN load_balancer_nodes n ON n.id = s.node
    ), nodes AS (
      UPDATE load_balancer_nodes n SET counted = s.counted
      FROM (SELECT node, jsonb_object_agg(listener, requests) AS counted FROM seen GROUP BY node) AS s
      WHERE n.id = s.node AND n.counted <> s.counted
    )
    UPDATE load_balancer_listeners l SET current_connections = s.connections, requests_total = l.requests_total + s.grown
    FROM (
      SELECT listener, sum(connections) AS connections,
        sum(CASE WHEN requests >= counted THEN requests - counted ELSE requests END) AS grown
      FROM seen GROUP BY listener
    ) AS s
    WHERE l.id = s.listener AND (l.current_connections <> s.connections OR s.grown > 0)`);
}
