import { Graph, layout } from '@dagrejs/dagre';

export interface GraphNode {
  id: string;
  label: string;
  /** A second line: a type or a time. */
  detail?: string;
  tone?: 'neutral' | 'positive' | 'caution' | 'critical' | 'moving';
}

export interface GraphEdge {
  from: string;
  to: string;
  label?: string;
}

export interface Place {
  x: number;
  y: number;
}

export const NODE_WIDTH = 188;
export const NODE_HEIGHT = 56;

/**
 * The upper left corner of each node, in layers along the edges. Edges to unknown nodes are ignored; cycles are
 * allowed.
 */
export function placeNodes(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  direction: 'right' | 'down',
): Map<string, Place> {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction === 'right' ? 'LR' : 'TB', nodesep: 28, ranksep: 64 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { from, to } of knownEdges(nodes, edges)) graph.setEdge(from, to);
  layout(graph);
  return new Map(
    nodes.map(({ id }) => {
      const { x = 0, y = 0 } = graph.node(id);
      return [id, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 }];
    }),
  );
}

/** Edges with two known ends. */
export function knownEdges(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): GraphEdge[] {
  const ids = new Set(nodes.map(({ id }) => id));
  return edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
}

/** A text alternative for screen readers: a sentence for each node. */
export function describeGraph(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): string[] {
  const labels = new Map(nodes.map(({ id, label }) => [id, label]));
  return nodes.map(({ id, label, detail }) => {
    const next = knownEdges(nodes, edges)
      .filter(({ from }) => from === id)
      .map(({ to }) => labels.get(to) ?? to);
    return `${label}${detail ? ` (${detail})` : ''}${next.length > 0 ? `, then ${next.join(', ')}` : ''}`;
  });
}
