import { statusLook } from '@/components/kit/data/statuses';
import type { GraphEdge, GraphNode } from '@/components/kit/graph/graph-layout';
import { backendStatus, type Route } from './types';

/** The path of a request: host, path prefix, backends with their shares. */
export function diagramOf(route: Route): { nodes: GraphNode[]; edges: GraphEdge[] } {
  const { id, host, path_prefix, status, backends, traffic } = route;
  const prefix = `${id}-path`;
  const requests = traffic.reduce((sum, part) => sum + part.requests, 0);
  return {
    nodes: [
      { id, label: host, detail: statusLook(status).label, tone: toneOf(status) },
      { id: prefix, label: path_prefix, detail: 'Path prefix' },
      ...backends.map((backend): GraphNode => {
        const { name, weight } = backend;
        const look = backendStatus(backend);
        const share = traffic.find((part) => part.backend === name)?.share_percent ?? 0;
        const now = requests === 0 ? '' : `, now ${share.toFixed(1)}%`;
        return { id: name, label: name, detail: `${statusLook(look).label}, ${weight}%${now}`, tone: toneOf(look) };
      }),
    ],
    edges: [{ from: id, to: prefix }, ...backends.map(({ name }) => ({ from: prefix, to: name }))],
  };
}

function toneOf(status: string): NonNullable<GraphNode['tone']> {
  const { tone } = statusLook(status);
  return tone === 'accent' ? 'neutral' : tone;
}
