'use client';

import { useState } from 'react';
import { Graph } from '@/components/kit/graph/graph';
import type { GraphEdge, GraphNode } from '@/components/kit/graph/graph-layout';
import { Card } from '@/components/kit/ui/card';
import { PiecePage } from '../piece-page';

const nodes: GraphNode[] = [
  { id: 'extract', label: 'Extract orders', detail: 'Succeeded in 12 s', tone: 'positive' },
  { id: 'customers', label: 'Extract customers', detail: 'Succeeded in 9 s', tone: 'positive' },
  { id: 'check', label: 'Check rows', detail: 'Succeeded in 3 s', tone: 'positive' },
  { id: 'clean', label: 'Remove duplicates', detail: 'Running', tone: 'moving' },
  { id: 'join', label: 'Join', detail: 'Waiting' },
  { id: 'load', label: 'Load warehouse', detail: 'Waiting' },
  { id: 'notify', label: 'Send report', detail: 'Waiting' },
];
const edges: GraphEdge[] = [
  { from: 'extract', to: 'check' },
  { from: 'extract', to: 'clean' },
  { from: 'customers', to: 'join' },
  { from: 'check', to: 'join' },
  { from: 'clean', to: 'join' },
  { from: 'join', to: 'load' },
  { from: 'load', to: 'notify' },
];

export default function GraphPage() {
  const [selected, setSelected] = useState('clean');
  const node = nodes.find(({ id }) => id === selected);
  return (
    <PiecePage name="graph">
      <Card title="Steps of a workflow" description={node && `Selected: ${node.label}`}>
        <Graph label="Steps of the workflow" nodes={nodes} edges={edges} selected={selected} onSelect={setSelected} />
      </Card>
    </PiecePage>
  );
}
