import { statusLook } from '@/components/kit/data/statuses';
import type { GraphEdge, GraphNode } from '@/components/kit/graph/graph-layout';
import { backendStatus, type Route, targetOf } from './types';

/** The path of a request: host, path prefix, backends with their shares. */
export function diagramOf(
  route: Route,
  names: ReadonlyMap<string, string>,
): { nodes: GraphNode[]; edges: GraphEdge[] } {
  const { id, host, path_prefix, status, backends, traffic } = route;
  const prefix = `${id}-path`;
  const requests = traffic.reduce((sum, part) => sum + part.requests, 0);
  return {
    nodes: [
      { id, label: host, detail: statusLook(status).label, tone: toneOf(status) },
      { id: prefix, label: path_prefix, detail: 'Path prefix' },
      ...backends.map((backend): GraphNode => {
        const { name, instance_id, load_balancer_id } = backend;
        const look = backendStatus(backend);
        return {
          id: name,
          label: name,
          detail: `${statusLook(look).label}, ${targetOf(backend, names.get(instance_id ?? load_balancer_id ?? ''))}`,
          tone: toneOf(look),
        };
      }),
    ],
    edges: [
      { from: id, to: prefix },
      ...backends.map(({ name, weight }) => {
        const share = traffic.find(({ backend }) => backend === name)?.share_percent ?? 0;
        return {
          from: prefix,
          to: name,
          label: requests === 0 ? `${weight}%` : `${weight}%, now ${share.toFixed(1)}%`,
        };
      }),
    ],
  };
}

function toneOf(status: string): NonNullable<GraphNode['tone']> {
  const { tone } = statusLook(status);
  return tone === 'accent' ? 'neutral' : tone;
}
