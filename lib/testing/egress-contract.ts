import { createServer, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { type EgressProxy, startEgressProxy } from '@/lib/core/net/egress-proxy';
import { eventually, settleService, shellService } from '@/lib/engines/contract/service-subject';
import { findProcesses } from '@/lib/engines/local/processes';
import type { localServices } from '@/lib/engines/local/services/test-subject';
import type { ServiceSpec } from '@/lib/hosts/services/engine';
import { listenOnLoopback } from './loopback';

/** Egress of a service, as root and as an ordinary user. */
export function egressContract({ host, subject }: ReturnType<typeof localServices>): void {
  const { services } = subject;
  const made: string[] = [];
  let outside: Server;
  let port = 0;
  let proxy: EgressProxy | undefined;

  function box(change: Partial<ServiceSpec> = {}): ServiceSpec {
    const id = newId();
    made.push(id);
    return shellService(subject, 'while true; do sleep 1000; done', {
      id,
      environment: { http_proxy: 'http://127.0.0.1:3128' },
      egress: { owner: id },
      stopSeconds: 0.2,
      ...change,
    });
  }

  /**
   * All external names resolve to this machine, which this test's operator allows; one resolves to a private address.
   */
  const openProxy = async ({ id }: ServiceSpec) => {
    proxy = await startEgressProxy(services.egressSocket(id), {
      policy: {
        allowed: ['127.0.0.1'],
        resolve: async (host) => [{ address: host === 'inside.test' ? '10.0.0.1' : '127.0.0.1', family: 4 }],
      },
      ports: [port],
      mostConnections: 8,
      idleMs: 10_000,
    });
  };
  const curl = async ({ id }: ServiceSpec, ...options: string[]) => {
    const argv = ['/usr/bin/curl', '-s', '-m', '5', '-w', ' %{http_code}', ...options];
    return (await services.runInside(id, argv)).stdout;
  };
  const reached = async (spec: ServiceSpec) =>
    eventually(async () => (await curl(spec, `http://example.test:${port}/`)) === 'hello 200');

  beforeAll(async () => {
    outside = createServer((_, response) => response.end('hello'));
    port = await listenOnLoopback(outside);
  });
  afterEach(async () => {
    await proxy?.close();
    proxy = undefined;
    for (const id of made.splice(0)) await services.removeService(id);
  });
  afterAll(async () => {
    outside.close();
    expect(await subject.leftovers()).toEqual([]);
  });

  describe('a service with egress', () => {
    it('reaches the outside only through its proxy, which counts sent and received bytes', async () => {
      const spec = box();
      await settleService(services, spec);
      await openProxy(spec);
      await reached(spec);
      await expect.poll(() => proxy?.count().receivedBytes).toBeGreaterThan(5);
      expect(proxy?.count().sentBytes).toBeGreaterThan(0);
      const direct = await curl(spec, '--noproxy', '*', `http://127.0.0.1:${port}/`);
      expect(direct).toBe(' 000');
      expect(await curl(spec, '--noproxy', '*', 'http://192.0.2.1/')).toBe(' 000');
    });

    it('is refused private addresses, by name, by number and through a tunnel, with the reason', async () => {
      const spec = box();
      await settleService(services, spec);
      await openProxy(spec);
      await reached(spec);
      const before = proxy?.count();
      for (const host of ['inside.test', '10.1.2.3', '169.254.169.254', '[::1]']) {
        expect(await curl(spec, '-g', `http://${host}:${port}/`)).toMatch(/public internet|private.* 403$/s);
        expect(await curl(spec, '-g', '--proxytunnel', `http://${host}:${port}/`)).toBe(' 000');
      }
      expect(proxy?.count()).toEqual(before);
    });

    it('keeps it when the service or the platform restarts', async () => {
      const spec = box();
      await settleService(services, spec);
      await openProxy(spec);
      await reached(spec);
      subject.kill(spec.id);
      await settleService(services, spec);
      await reached(spec);
      await proxy?.close();
      expect(await curl(spec, `http://example.test:${port}/`)).toBe(' 502');
      await subject.restarted().ensureService(spec);
      await openProxy(spec);
      await reached(spec);
    });

    it('keeps it when the last router of the host is removed', async () => {
      const spec = box();
      await settleService(services, spec);
      await openProxy(spec);
      await reached(spec);
      const routerId = newId();
      const [cidr, gatewayIp] = ['10.81.0.0/24', '10.81.0.1'];
      const network = { id: newId(), cidr, gatewayIp, dhcpEnabled: true, dnsServers: [], names: [], ports: [] };
      await subject.network.ensureRouter({ id: routerId, networks: [network], securityGroups: [], floatingIps: [] });
      await subject.network.removeRouter(routerId);
      await reached(spec);
      expect((await services.observeServices())[0]?.starts).toBe(1);
    });

    it('leaves no process behind while the service is stopped', async () => {
      const spec = box();
      await settleService(services, spec);
      await services.stopService(spec.id);
      expect(findProcesses(host)).toEqual([]);
      await settleService(services, spec);
      await openProxy(spec);
      await reached(spec);
    });

    it('loses it when its spec no longer has it', async () => {
      const spec = box();
      await settleService(services, spec);
      await openProxy(spec);
      await reached(spec);
      const { egress: _, ...closed } = spec;
      await settleService(services, closed);
      expect(await curl(spec, `http://example.test:${port}/`)).toBe(' 000');
    });
  });
}
