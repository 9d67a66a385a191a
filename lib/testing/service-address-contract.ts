import { createServer, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { type EgressProxy, startEgressProxy } from '@/lib/core/net/egress-proxy';
import type { Port, Router } from '@/lib/domains/network/engine';
import { eventually, settleService, shellService } from '@/lib/engines/contract/service-subject';
import { routerNamespace } from '@/lib/engines/local/network/names';
import { namespaceCommand } from '@/lib/engines/local/network/namespaces';
import { startRelay } from '@/lib/engines/local/network/relay';
import { endProcess, findProcess } from '@/lib/engines/local/processes';
import type { localServices } from '@/lib/engines/local/services/test-subject';
import type { ServicePort, ServiceSpec } from '@/lib/hosts/services/engine';
import { platformAccess } from '@/lib/hosts/services/service-address';
import { listenOnLoopback } from './loopback';

const SERVICE_MS = 120_000;
const gatewayIp = '10.83.0.1';

/** The service address inside a tenant's network and a sandbox, as root and as an ordinary user. */
export function serviceAddressContract({ host, subject }: ReturnType<typeof localServices>): void {
  const { services, network } = subject;
  const proxies: EgressProxy[] = [];
  let web: Server;
  let place = { host: '127.0.0.1', port: 0 };

  /** A tenant's router with a service, and a port for a machine that tries to use the platform's name. */
  function tenant() {
    const [routerId, networkId] = [newId(), newId()];
    const port = (number: number, hostname: string, attachment: Port['attachment']): Port => {
      const ip = `10.83.0.${number}`;
      // No group: nothing may pass between this port and any other.
      return {
        id: newId(),
        mac: `02:4e:00:00:02:${number}`,
        ip,
        hostname,
        securityGroupIds: [],
        holderId: newId(),
        attachment,
        sharedAddresses: [],
      };
    };
    const [own, other] = [port(11, 'service', 'veth'), port(12, 'Platform', 'none')];
    const names = [{ name: 'platform.internal', address: other.ip }];
    const ports = [own, other];
    const networks = [
      { id: networkId, cidr: '10.83.0.0/24', gatewayIp, dhcpEnabled: true, dnsServers: [], names, ports },
    ];
    const router: Router = { id: routerId, networks, securityGroups: [], floatingIps: [] };
    const attached: ServicePort = {
      ...{ id: own.id, networkId, mac: own.mac, ip: own.ip },
      ...{ prefixLength: 24, gatewayIp, dnsServers: [], sharedAddresses: [] },
    };
    return { router, spec: box({ port: attached }), own: { id: own.id, networkId } };
  }
  const box = (change: Partial<ServiceSpec>) =>
    shellService(subject, 'while true; do sleep 1000; done', { stopSeconds: 0.2, ...change });

  const [one, two] = [tenant(), tenant()];
  const sandboxed = box({ egress: { owner: 'acme' } });

  /** Answers like the worker, at a socket of the engine. */
  async function answer(socket: string, owner: string): Promise<void> {
    const policy = { allowed: [], resolve: async () => [] };
    const limits = { mostConnections: 8, idleMs: 10_000 };
    proxies.push(
      await startEgressProxy(socket, { policy, ports: [], platform: platformAccess(owner, place, place), ...limits }),
    );
  }
  const said = async ({ id }: ServiceSpec, script: string) =>
    (await services.runInside(id, [...subject.shell.argv, script])).stdout.trim();
  const called = (spec: ServiceSpec, url: string, options = '') =>
    said(spec, `curl -s -m 3 -w ' %{http_code}' ${options} ${url}`);

  beforeAll(async () => {
    web = createServer(({ url, headers, socket }, response) =>
      response.end(`${url} ${headers.host} ${socket.remoteAddress}`),
    );
    place = { host: '127.0.0.1', port: await listenOnLoopback(web) };
    for (const { router, spec } of [one, two]) {
      await network.ensureRouter(router);
      await settleService(services, spec);
      await network.ensureRouter(router);
      await answer(network.serviceSocket(router.id), router.id);
    }
  }, SERVICE_MS);
  afterEach(() => network.ensureRouter(one.router));
  afterAll(async () => {
    for (const { id } of [one.spec, two.spec, sandboxed]) await services.removeService(id);
    for (const { router } of [one, two]) await network.removeRouter(router.id);
    for (const proxy of proxies) await proxy.close();
    web.close();
    expect(await subject.leftovers()).toEqual([]);
  }, SERVICE_MS);

  describe('the service address', { timeout: SERVICE_MS }, () => {
    it('reaches the platform by name and by address, whatever the security groups', async () => {
      const { from } = platformAccess(one.router.id, place);
      const expected = `/api/v1/auth/me platform.internal ${from} 200`;
      await eventually(async () => (await called(one.spec, 'http://platform.internal/api/v1/auth/me')) === expected);
      expect(await called(one.spec, 'http://169.254.80.80/api/v1/auth/me')).toBe(expected);
      expect(await network.egressBytes([one.own])).toBe(0);
    });

    it('reaches object storage with host and path as they were signed', async () => {
      const { from } = platformAccess(one.router.id, place);
      for (const host of ['platform.internal:9000', '169.254.80.80:9000']) {
        const path = '/bucket/a/../b%2Fc?x=%20';
        expect(await called(one.spec, `'http://${host}${path}'`, '--path-as-is')).toBe(`${path} ${host} ${from} 200`);
      }
      expect(await called(one.spec, 'http://169.254.80.80:9000/x', "-H 'Host: localhost:9000'")).toMatch(/ 403$/);
    });

    it('distinguishes two tenants with the same addresses', async () => {
      const [first, second] = [await called(one.spec, 'http://169.254.80.80/api/v1/x'), await reached(two.spec)];
      expect(first).toContain(`${platformAccess(one.router.id, place).from}`);
      expect(second).toContain(`${platformAccess(two.router.id, place).from}`);
      expect(first).not.toBe(second);
    });
    const reached = async (spec: ServiceSpec) => called(spec, 'http://169.254.80.80/api/v1/x');

    it('answers only to its own name, which no machine or network name can take', async () => {
      const lookup = (name: string) => said(one.spec, `nslookup ${name} ${gatewayIp} | grep -o '^Address.*' | tail -1`);
      expect(await lookup('platform.internal')).toMatch(/169\.254\.80\.80$/);
      expect(await lookup('platform')).not.toContain('10.83.0.12');
    });

    it('exposes only the API: not the back office, the metrics, another host, another port or a tunnel', async () => {
      const refused = [
        ['http://169.254.80.80/metrics'],
        ['http://169.254.80.80/admin/api/v1/tenants'],
        ['http://169.254.80.80/api/v1/../../admin/api/v1/tenants', '--path-as-is'],
        ['http://169.254.80.80/api/v1/auth/me', "-H 'Host: admin.example.test'"],
        ['http://169.254.80.80/api/v1/auth/me', "-H 'Host: localhost'"],
        [`http://127.0.0.1:${place.port}/api/v1/x`, '-x http://169.254.80.80:80'],
      ];
      for (const [url = '', options] of refused) {
        expect(await called(one.spec, url, options), `${url} ${options}`).toMatch(/ 403$/);
      }
      const tunnel = `-x http://169.254.80.80:80 --proxytunnel`;
      expect(await called(one.spec, `http://127.0.0.1:${place.port}/api/v1/x`, tunnel)).toBe('000');
      const ports = [22, 53, 3128, 5432, 8080, place.port].map((port) => `169.254.80.80:${port}`);
      const closed = [...ports, '169.254.80.81', '169.254.169.254', '10.83.0.12'];
      const answers = await Promise.all(closed.map((address) => called(one.spec, `http://${address}/api/v1/x`)));
      expect(answers).toEqual(closed.map(() => '000'));
    });

    it('works at every port after an upgrade: what listens at others is replaced', async () => {
      const relay = findProcess(host, 'service-address', one.router.id);
      if (!relay) throw new Error('Nothing answers.');
      await endProcess(relay);
      startRelay(host, {
        role: 'service-address',
        id: one.router.id,
        inside: await namespaceCommand(host, routerNamespace(host, one.router.id)),
        places: ['169.254.80.80:80'],
        socket: network.serviceSocket(one.router.id),
        logFile: '/dev/null',
      });
      const reachedS3 = () => called(one.spec, 'http://169.254.80.80:9000/x');
      await eventually(async () => (await reached(one.spec)).endsWith(' 200'));
      expect(await reachedS3()).toBe('000');
      await network.ensureRouter(one.router);
      await eventually(async () => (await reachedS3()).endsWith(' 200'));
    });

    it('works again after its answering process was killed', async () => {
      const relay = findProcess(host, 'service-address', one.router.id);
      if (!relay) throw new Error('Nothing answers.');
      await endProcess(relay);
      expect(await reached(one.spec)).toBe('000');
      await network.ensureRouter(one.router);
      await eventually(async () => (await reached(one.spec)).endsWith(' 200'));
    });

    it('works again after the network was recreated', async () => {
      await network.removeRouter(two.router.id);
      await network.ensureRouter(two.router);
      await settleService(services, two.spec);
      await answer(network.serviceSocket(two.router.id), two.router.id);
      await eventually(async () => (await reached(two.spec)).endsWith(' 200'));
    });

    it('works in a sandbox with egress and no network, without a proxy in between', async () => {
      await settleService(services, sandboxed);
      await answer(services.egressSocket(sandboxed.id), 'acme');
      const expected = `/api/v1/auth/me platform.internal ${platformAccess('acme', place).from} 200`;
      await eventually(async () => (await called(sandboxed, 'http://platform.internal/api/v1/auth/me')) === expected);
      expect(await called(sandboxed, 'http://169.254.80.80/metrics')).toMatch(/ 403$/);
    });
  });
}
