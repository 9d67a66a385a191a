'use client';

import {
  Background,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import './graph.css';
import { clsx } from 'clsx';
import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { Button } from '@/components/kit/ui/button';
import { useWidth } from '@/components/kit/ui/use-width';
import {
  describeGraph,
  type GraphEdge,
  type GraphNode,
  knownEdges,
  NODE_HEIGHT,
  NODE_WIDTH,
  placeNodes,
} from './graph-layout';

export interface GraphProps {
  /** Name of the graph: "Steps of the workflow". */
  label: string;
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  selected?: string;
  onSelect?: (id: string) => void;
  /** Fills its parent instead of having its own height. */
  fill?: boolean;
}

/** Below this width the layers are stacked vertically. */
const NARROW_PX = 640;

/** A directed graph in layers. Tab moves between nodes and Enter selects one. */
export default function GraphView(props: GraphProps) {
  const { label, nodes, edges, fill = false } = props;
  const [box, width] = useWidth();
  return (
    <section aria-label={label} className={fill ? 'h-full' : 'h-96'}>
      <div ref={box} className="h-full overflow-hidden rounded-md border bg-sunken">
        {width > 0 && (
          <ReactFlowProvider>
            <Drawing {...props} direction={width < NARROW_PX ? 'down' : 'right'} />
          </ReactFlowProvider>
        )}
      </div>
      <ul className="sr-only">
        {describeGraph(nodes, edges).map((sentence, position) => (
          <li key={nodes[position]?.id}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

type Box = Node<{ node: GraphNode; direction: 'right' | 'down' }, 'box'>;

const nodeTypes = { box: BoxNode };

function Drawing(props: GraphProps & { direction: 'right' | 'down' }) {
  const { nodes, edges, selected, onSelect, direction } = props;
  const { fitView, zoomIn, zoomOut } = useReactFlow();
  const places = useMemo(() => placeNodes(nodes, edges, direction), [nodes, edges, direction]);
  const boxes = useMemo(
    () =>
      nodes.map(
        (node): Box => ({
          id: node.id,
          type: 'box',
          position: places.get(node.id) ?? { x: 0, y: 0 },
          data: { node, direction },
          width: NODE_WIDTH,
          height: NODE_HEIGHT,
          selected: node.id === selected,
          ariaLabel: node.detail ? `${node.label}, ${node.detail}` : node.label,
        }),
      ),
    [nodes, places, direction, selected],
  );
  const lines = useMemo(
    () =>
      knownEdges(nodes, edges).map(
        ({ from, to, label }): Edge => ({
          id: `${from} ${to} ${label ?? ''}`,
          source: from,
          target: to,
          label,
          focusable: false,
          markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--line-strong)' },
        }),
      ),
    [nodes, edges],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another layout is what the view must fit
  useEffect(() => void fitView({ padding: 0.12, maxZoom: 1 }), [fitView, places]);
  return (
    <ReactFlow
      nodes={boxes}
      edges={lines}
      nodeTypes={nodeTypes}
      onNodeClick={(_, { id }) => onSelect?.(id)}
      onSelectionChange={({ nodes: [node] }) => node && node.id !== selected && onSelect?.(node.id)}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={onSelect !== undefined}
      deleteKeyCode={null}
      // The wheel scrolls the page; zoom with pinch, Ctrl or the buttons.
      zoomOnScroll={false}
      preventScrolling={false}
      minZoom={0.2}
      maxZoom={1.5}
      fitView
      fitViewOptions={{ padding: 0.12, maxZoom: 1 }}
      attributionPosition="bottom-left"
    >
      <Background gap={20} />
      <div className="absolute right-2 bottom-2 z-10 flex gap-1 rounded-md border bg-raised p-0.5">
        <Button size="icon-sm" variant="quiet" aria-label="Zoom in" onClick={() => void zoomIn()}>
          <ZoomIn />
        </Button>
        <Button size="icon-sm" variant="quiet" aria-label="Zoom out" onClick={() => void zoomOut()}>
          <ZoomOut />
        </Button>
        <Button
          size="icon-sm"
          variant="quiet"
          aria-label="Fit the view"
          onClick={() => void fitView({ padding: 0.12, maxZoom: 1 })}
        >
          <Maximize />
        </Button>
      </div>
    </ReactFlow>
  );
}

const tones = {
  neutral: 'bg-line-strong',
  positive: 'bg-positive',
  caution: 'bg-caution',
  critical: 'bg-critical',
  moving: 'bg-moving',
} as const;

function BoxNode({ data: { node, direction }, selected }: NodeProps<Box>) {
  const { label, detail, tone = 'neutral' } = node;
  const hidden = 'pointer-events-none opacity-0';
  return (
    <div
      className={clsx(
        'flex h-full items-center gap-2.5 rounded-md border bg-surface px-3 shadow-control',
        selected && 'border-accent ring-1 ring-accent',
      )}
    >
      <Handle type="target" position={direction === 'right' ? Position.Left : Position.Top} className={hidden} />
      <span className={clsx('size-2 shrink-0 rounded-full', tones[tone])} />
      <span className="min-w-0">
        <span className="block truncate font-medium text-sm">{label}</span>
        {detail && <span className="block truncate text-ink-muted text-xs">{detail}</span>}
      </span>
      <Handle type="source" position={direction === 'right' ? Position.Right : Position.Bottom} className={hidden} />
    </div>
  );
}
