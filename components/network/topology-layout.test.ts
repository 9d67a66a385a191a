import { describe, expect, test } from 'vitest';
import { type Box, INTERNET, layOut, related, type Topology } from './topology-layout';

/** A project with networks of so many ports each; every tenth port has a public address, and one address is free. */
function project(...sizes: number[]): Topology {
  const networks = sizes.map((size, network) => ({
    id: `network-${network}`,
    ports: Array.from({ length: size }, (_, port) => ({ id: `port-${network}-${port}` })),
    more: 0,
  }));
  const addresses = networks
    .flatMap(({ ports }) => ports.filter((_, position) => position % 10 === 0))
    .map(({ id }) => ({ id: `address-${id}`, address: '203.0.113.1', portId: id }));
  return {
    routers: [{ id: 'router', name: 'default', networks }],
    addresses: [...addresses, { id: 'free', address: '203.0.113.9', portId: null }],
  };
}

const apart = (one: Box, other: Box) =>
  one.x + one.width <= other.x ||
  other.x + other.width <= one.x ||
  one.y + one.height <= other.y ||
  other.y + other.height <= one.y;
const inside = (inner: Box, outer: Box) =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

describe.each([
  ['a phone', 326],
  ['a tablet', 720],
  ['a laptop', 1100],
  ['a wide screen', 1376],
])('on %s', (_, width) => {
  test.each([[[0]], [[1]], [[10]], [[50]], [[3, 0, 12, 1]], [[200, 40]]])(
    'nothing lies on another thing: %j',
    (sizes) => {
      const topology = project(...sizes);
      const { boxes, height, internet } = layOut(topology, width);
      const all = { x: 0, y: 0, width, height };
      const of = (id: string) => boxes.get(id) ?? expect.fail(`${id} is not placed`);
      const networks = topology.routers[0]?.networks ?? [];
      const blocks = [internet, of('router'), ...networks.map(({ id }) => of(id))];
      blocks.forEach((block, position) => {
        expect(inside(block, all)).toBe(true);
        for (const other of blocks.slice(position + 1)) expect(apart(block, other)).toBe(true);
      });
      for (const { id, ports } of networks) {
        const tiles = ports.length > 0 ? ports.map((port) => of(port.id)) : [of(`more:${id}`)];
        tiles.forEach((tile, position) => {
          expect(inside(tile, of(id))).toBe(true);
          for (const other of tiles.slice(position + 1)) expect(apart(tile, other)).toBe(true);
        });
      }
      for (const { id } of topology.addresses) expect(inside(of(id), internet)).toBe(true);
    },
  );
});

test('everything that is connected has a wire', () => {
  const { wires } = layOut(project(11, 2), 1200);
  expect(wires.map(({ ends }) => ends.join(' '))).toEqual([
    'internet router',
    'router network-0',
    'router network-1',
    'address-port-0-0 port-0-0',
    'address-port-0-10 port-0-10',
    'address-port-1-0 port-1-0',
  ]);
});

test('a thing stands with its way to the internet and what is behind it', () => {
  const topology = project(2, 1);
  expect(related(topology, 'port-0-1')).toEqual(new Set(['port-0-1', 'network-0', 'router', INTERNET]));
  expect(related(topology, 'address-port-1-0')).toEqual(
    new Set(['address-port-1-0', 'port-1-0', 'network-1', 'router', INTERNET]),
  );
  expect(related(topology, 'network-0')).toContain('port-0-0');
  expect(related(topology, 'network-0')).not.toContain('port-1-0');
  expect(related(topology, 'router')).toContain('port-1-0');
  expect(related(topology, 'free')).toEqual(new Set(['free', INTERNET]));
});
