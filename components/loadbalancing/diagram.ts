import { type StatusLook, statusLook } from '@/components/kit/data/statuses';
import type { GraphEdge, GraphNode } from '@/components/kit/graph/graph-layout';
import { type LoadBalancer, type Member, memberStatusOf, type Pool, statusOf } from './types';
import { sharesOf } from './weights';

/** The path of a request through a load balancer: virtual IP, active node, listeners, pools, members. */
export function diagramOf(balancer: LoadBalancer, pools: readonly Pool[]): { nodes: GraphNode[]; edges: GraphEdge[] } {
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  const add = (node: GraphNode, from?: string) => {
    nodes.push(node);
    if (from !== undefined) edges.push({ from, to: node.id });
  };
  const { id, vip_address, floating_ip, listeners, nodes: proxies } = balancer;
  add({
    id,
    label: floating_ip ?? vip_address,
    ...lookOf(statusOf(balancer), floating_ip === null ? 'Virtual IP' : `Virtual IP ${vip_address}`),
  });
  for (const [position, { role, status }] of proxies.entries()) {
    add(
      { id: nodeId(position), label: `Node ${position + 1}`, ...lookOf(memberStatusOf({ status }), roles[role]) },
      id,
    );
  }
  const active = proxies.findIndex(({ role }) => role === 'active');
  const source = active < 0 ? id : nodeId(active);
  for (const listener of listeners) {
    const pool = pools.find((candidate) => candidate.id === listener.pool_id);
    const state = pool && stateOf(pool.members);
    const tone = state?.tone ?? 'neutral';
    add(
      { id: listener.id, label: `${listener.protocol} ${listener.port}`, detail: `Listener ${listener.name}`, tone },
      source,
    );
    if (!pool) continue;
    add({ id: pool.id, label: pool.name, detail: `Pool, ${state?.words}`, tone }, listener.id);
    const shares = sharesOf(pool.members);
    for (const [position, member] of pool.members.entries()) {
      add({ id: member.id, label: member.name, ...lookOf(memberStatusOf(member), shares[position]) }, pool.id);
    }
  }
  return { nodes, edges };
}

const roles = { active: 'active', stand_by: 'stand-by' } as const;
const nodeId = (position: number) => `node-${position + 1}`;

/** "Up, 50%" */
function lookOf(status: string, more = ''): Pick<GraphNode, 'detail' | 'tone'> {
  const { label, tone } = statusLook(status);
  return { detail: more === '' ? label : `${label}, ${more}`, tone: graphTone(tone) };
}

const graphTone = (tone: StatusLook['tone']): NonNullable<GraphNode['tone']> => (tone === 'accent' ? 'neutral' : tone);

/** How many members serve: all, some or none. */
function stateOf(members: readonly Member[]): { words: string; tone: NonNullable<GraphNode['tone']> } {
  const serving = members.filter(({ status }) => status !== 'down').length;
  const words = `${serving} of ${members.length} serving`;
  if (serving === 0) return { words, tone: 'critical' };
  return { words, tone: serving < members.length ? 'caution' : 'positive' };
}
