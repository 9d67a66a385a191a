import { beforeAll, beforeEach, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { EngineError } from '@/lib/engines/error';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { type MemoryEngines, useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { sampleRouters } from './telemetry';
import { applyRouters } from './topology';

testDatabase();
const call = api();
let acme: TestProject;
let engines: MemoryEngines;
beforeAll(() => createCell());
beforeEach(async () => {
  engines = useMemoryEngines();
  acme = await createProject('acme');
});

const get = async (path: string, token = acme.users.reader.token) => {
  const { status, body } = await call('GET', path, { token });
  expect(status).toBe(200);
  return body as { data: { result: { metric: Record<string, string>; value: [number, string] }[] } };
};
const increase = async (metric: string, token?: string) => {
  const query = encodeURIComponent(`increase(${metric}[2m])`);
  const { data } = await get(`/observability/prometheus/api/v1/query?query=${query}`, token);
  return data.result.map(({ metric, value }) => [metric.resource_id, Number(value[1]) > 0]);
};

/** An instance with a floating IP; the ids of what is counted. */
async function inUse() {
  const instance = idOf(await launch(call, acme));
  const token = acme.users.member.token;
  const floating_ip = idOf(await call('POST', '/network/floating-ips', { token }));
  const path = `/network/floating-ips/${floating_ip}/associate`;
  await call('POST', path, { token, body: { instance_id: instance } });
  await applyRouters('test-host');
  const mine = { where: { project_id: acme.id } };
  const router = await prisma().router.findFirstOrThrow(mine);
  const network = await prisma().network.findFirstOrThrow(mine);
  return { router: router.id, network: network.id, floating_ip };
}

async function sampled(...received: number[]): Promise<void> {
  for (const [index, receivedBytes] of received.entries()) {
    engines.passed = { receivedBytes, receivedPackets: receivedBytes / 10, sentBytes: 3, sentPackets: 1 };
    await setTestClock((index - received.length) * 15_000);
    await sampleRouters('test-host');
  }
  await setTestClock(0);
}

test('networks, routers and floating IPs report what passed them in both directions', async () => {
  const ids = await inUse();
  await sampled(100, 400, 900);
  for (const kind of ['router', 'network', 'floating_ip'] as const) {
    expect(await increase(`nephele_${kind}_receive_bytes`)).toEqual([[ids[kind], true]]);
    expect(await increase(`nephele_${kind}_receive_packets`)).toEqual([[ids[kind], true]]);
    expect(await increase(`nephele_${kind}_transmit_bytes`)).toEqual([[ids[kind], false]]);
  }
});

test('another tenant sees none of it', async () => {
  await inUse();
  await sampled(100, 400);
  const other = await createProject('other');
  expect(await increase('nephele_network_receive_bytes', other.users.reader.token)).toEqual([]);
});

test('the traffic of a project counts once, that of a network by itself on request', async () => {
  const { network } = await inUse();
  await sampled(100, 400, 900, 1600);
  const values = async (query: string) => {
    const { body } = await call('GET', `/observability/timeseries/network?${query}`, {
      token: acme.users.reader.token,
    });
    const { series } = body as { series: { resource: { type: string } | null; points: [string, number | null][] }[] };
    return series.filter(({ points }) => points.some(([, value]) => value !== null));
  };
  expect(await values('aggregate=sum')).toEqual([]);
  expect((await values(`resource_id=${network}`)).map(({ resource }) => resource?.type)).toContain('network');
});

test('samples go with what they are of', async () => {
  const { floating_ip } = await inUse();
  await sampled(100, 400);
  const samples = () => prisma().deviceSample.count({ where: { device_id: floating_ip } });
  expect(await samples()).toBe(2);
  const token = acme.users.member.token;
  await call('POST', `/network/floating-ips/${floating_ip}/disassociate`, { token });
  expect((await call('DELETE', `/network/floating-ips/${floating_ip}`, { token })).status).toBe(204);
  expect(await samples()).toBe(0);
});

test('a router that does not answer leaves out its own samples only', async () => {
  await inUse();
  const { traffic } = engines.network;
  engines.network.traffic = async () => {
    throw new EngineError('ENGINE_UNAVAILABLE', 'The host is down.');
  };
  await sampled(100);
  engines.network.traffic = traffic;
  await sampled(200);
  expect(await prisma().deviceSample.count({ where: { project_id: acme.id } })).toBe(3);
});
