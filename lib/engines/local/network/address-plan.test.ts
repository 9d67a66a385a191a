import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { describeHost, type Host } from '../host';
import { addressPlan } from './address-plan';

const hosts: Host[] = [];
afterEach(() => {
  for (const { dataDir } of hosts.splice(0)) rmSync(dataDir, { recursive: true });
});

function newHost(isolation?: Host['isolation']): Host {
  const host = describeHost({ dataDir: mkdtempSync(join(tmpdir(), 'nephele-plan-')), isolation });
  mkdirSync(join(host.directory, 'network'), { recursive: true });
  hosts.push(host);
  return host;
}

const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)(
  'engines of one host choose different blocks, at the same moment and before any has a route',
  async () => {
    const plans = await Promise.all(Array.from({ length: 4 }, () => addressPlan(newHost())));
    expect(new Set(plans.map(({ segment }) => segment)).size).toBe(4);
    expect(new Set(plans.map(({ pool }) => pool)).size).toBe(4);
  },
);

test.runIf(isRoot)(
  'engines choose different blocks although data folders that lie about have all of them',
  async () => {
    for (let engine = 0; engine < 16; engine += 1) await addressPlan(newHost());
    const plans = await Promise.all(Array.from({ length: 4 }, () => addressPlan(newHost())));
    expect(new Set(plans.map(({ segment }) => segment)).size).toBe(4);
  },
);

test.runIf(isRoot)('the block of an engine that is gone is free again', async () => {
  const gone = await addressPlan(newHost());
  for (const { dataDir } of hosts.splice(0)) rmSync(dataDir, { recursive: true });
  const seen = new Set<string>();
  for (let engine = 0; engine < 16 && !seen.has(gone.segment); engine += 1) {
    seen.add((await addressPlan(newHost())).segment);
  }
  expect(seen).toContain(gone.segment);
});

test('a plan is kept', async () => {
  for (const isolation of isRoot ? (['root', 'user'] as const) : (['user'] as const)) {
    const host = newHost(isolation);
    expect(await addressPlan(host)).toEqual(await addressPlan(host));
  }
});
