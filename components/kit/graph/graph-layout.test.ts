import { expect, test } from 'vitest';
import { describeGraph, knownEdges, NODE_HEIGHT, NODE_WIDTH, placeNodes } from './graph-layout';

const nodes = ['extract', 'check', 'clean', 'load'].map((id) => ({ id, label: id }));
const edges = [
  { from: 'extract', to: 'check' },
  { from: 'extract', to: 'clean' },
  { from: 'check', to: 'load' },
  { from: 'clean', to: 'load' },
];

test('every step comes after the steps that it waits for', () => {
  const right = placeNodes(nodes, edges, 'right');
  const down = placeNodes(nodes, edges, 'down');
  for (const { from, to } of edges) {
    expect((right.get(to)?.x ?? 0) - (right.get(from)?.x ?? 0)).toBeGreaterThan(NODE_WIDTH);
    expect((down.get(to)?.y ?? 0) - (down.get(from)?.y ?? 0)).toBeGreaterThan(NODE_HEIGHT);
  }
});

test('no two nodes overlap', () => {
  const places = [...placeNodes(nodes, edges, 'right').values()];
  for (const [position, one] of places.entries()) {
    for (const other of places.slice(position + 1)) {
      const apart = Math.abs(one.x - other.x) >= NODE_WIDTH || Math.abs(one.y - other.y) >= NODE_HEIGHT;
      expect(apart).toBe(true);
    }
  }
});

test('an edge to an unknown node is left out, and a cycle is drawn', () => {
  expect(knownEdges(nodes, [...edges, { from: 'load', to: 'gone' }])).toEqual(edges);
  expect(placeNodes(nodes, [...edges, { from: 'load', to: 'extract' }], 'right').size).toBe(4);
  expect(placeNodes([], [], 'right').size).toBe(0);
});

test('each node is described with its successors', () => {
  expect(describeGraph(nodes, edges)[0]).toBe('extract, then check, clean');
  expect(describeGraph([{ id: 'a', label: 'Load', detail: 'Running' }], [])).toEqual(['Load (Running)']);
});
