import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newId } from '@/lib/core/db/id';
import type { Port, SecurityRule } from '@/lib/domains/network/engine';
import type { Language, LocalSubject } from '@/lib/engines/local/functions/test-subject';
import { openLocalEngine } from '@/lib/engines/local/local-engine';
import { edgeNamespace } from '@/lib/engines/local/network/names';
import { namedNamespaces, namespaceCommand } from '@/lib/engines/local/network/namespaces';
import { ensureCableOf, removeCableOf } from '@/lib/engines/local/services/cable';
import type { ServicePort } from '@/lib/hosts/services/engine';
import { listenOnLoopback } from './loopback';

/** Clients as anyone writes them: an HTTP client by name or address, and a plain connection. */
const code: Record<Language, string> = {
  python: `import socket, urllib.request
def handler(event, context):
    try:
        if "host" in event:
            with socket.create_connection((event["host"], event["port"]), timeout=2) as one:
                one.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
                answer = b""
                while piece := one.recv(4096):
                    answer += piece
                return answer.decode().split("\\r\\n\\r\\n")[-1]
        return urllib.request.urlopen(event["url"], timeout=2).read().decode()
    except Exception as error:
        return f"refused: {error}"`,
  node: `import net from 'node:net';
    export const handler = async ({ url, host, port }) => {
      try {
        if (url) return await (await fetch(url, { signal: AbortSignal.timeout(2000) })).text();
        return await new Promise((resolve, reject) => {
          const one = net.connect({ host, port, timeout: 2000 }, () => one.write('GET / HTTP/1.0\\r\\n\\r\\n'));
          let all = '';
          one.on('data', (piece) => { all += piece; }).on('end', () => resolve(all.split('\\r\\n\\r\\n').at(-1)));
          one.on('error', reject).on('timeout', () => reject(new Error('timeout')));
        });
      } catch (error) { return 'refused: ' + error; }
    };`,
  deno: `export const handler = async ({ url, host, port }: { url?: string; host?: string; port?: number }) => {
      try {
        const address = url ?? 'http://' + host + ':' + port + '/';
        return await (await fetch(address, { signal: AbortSignal.timeout(2000) })).text();
      } catch (error) { return 'refused: ' + error; }
    };`,
};

const everywhere = { protocol: 'any', portRangeMin: null, portRangeMax: null, cidr: '0.0.0.0/0' } as const;
const out: SecurityRule = { direction: 'egress', ...everywhere };
const web: SecurityRule = {
  ...everywhere,
  direction: 'ingress',
  protocol: 'tcp',
  portRangeMin: 8080,
  portRangeMax: 8080,
};
const SERVER = `import http.server, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(sys.argv[1].encode())
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("0.0.0.0", 8080), Answer).serve_forever()`;

type Tenant = { router: string; network: string; octet: number };

/** Functions with a port on a tenant network, as root and as an ordinary user. */
export function functionNetworkContract(local: LocalSubject): void {
  const { network } = openLocalEngine({ dataDir: local.host.dataDir });
  const tenants: Tenant[] = [81, 82].map((octet) => ({ router: newId(), network: newId(), octet }));
  const [own, others] = tenants as [Tenant, Tenant];
  const servers: ChildProcess[] = [];
  const namespaces: string[] = [];

  const port = ({ octet }: Tenant, last: number, hostname: string, group: string): Port => ({
    id: newId(),
    mac: `02:0a:4d:${octet}:00:${String(last).padStart(2, '0')}`,
    ip: `10.77.${octet}.${last}`,
    hostname,
    securityGroupIds: [group],
    holderId: null,
    attachment: 'veth',
    sharedAddresses: [],
  });
  const servicePort = (tenant: Tenant, { id, mac, ip }: Port): ServicePort => ({
    ...{ id, mac, ip, networkId: tenant.network, prefixLength: 24, gatewayIp: `10.77.${tenant.octet}.1` },
    ...{ dnsServers: [], sharedAddresses: [] },
  });
  const ports = new Map(
    tenants.map((tenant) => [tenant, [port(tenant, 10, 'shop', 'web'), port(tenant, 20, 'fn-own', 'out')]]),
  );
  const portOf = (tenant: Tenant, index: number) => (ports.get(tenant) ?? [])[index] as Port;
  const groups = (rules: readonly SecurityRule[]) => [
    { id: 'web', rules: [out, web] },
    { id: 'out', rules: [...rules] },
  ];
  const apply = (tenant: Tenant, rules: readonly SecurityRule[] = [out]) =>
    network.ensureRouter({
      id: tenant.router,
      networks: [
        {
          ...{ id: tenant.network, cidr: `10.77.${tenant.octet}.0/24`, gatewayIp: `10.77.${tenant.octet}.1` },
          ...{ dhcpEnabled: true, dnsServers: [], names: [], ports: ports.get(tenant) ?? [] },
        },
      ],
      securityGroups: groups(rules),
      floatingIps: [],
    });

  async function serve(tenant: Tenant): Promise<void> {
    const name = `svc-${edgeNamespace(local.host)}-shop${tenant.octet}`;
    namespaces.push(name);
    await ensureCableOf(local.host, name, servicePort(tenant, portOf(tenant, 0)));
    const [program = '', ...args] = await namespaceCommand(local.host, name);
    servers.push(
      spawn(program, [...args, '/usr/bin/python3', '-c', SERVER, `shop ${tenant.octet}`], { stdio: 'ignore' }),
    );
  }
  const functionNamespaces = () => namedNamespaces(local.host, (name) => name.startsWith('fn-'));
  const begin = (language: Language) =>
    local.start(language, code[language], { port: servicePort(own, portOf(own, 1)) });

  beforeAll(async () => {
    for (const tenant of tenants) {
      await apply(tenant);
      await serve(tenant);
    }
  });
  afterAll(async () => {
    for (const server of servers) server.kill('SIGKILL');
    for (const name of namespaces) await removeCableOf(local.host, name);
    for (const { router } of tenants) await network.removeRouter(router);
  });

  describe.each(['python', 'node', 'deno'] as const)('%s with a port on a network of its project', (language) => {
    test('reaches a server there by address and name with its usual client, and nothing of others', {
      timeout: 60_000,
    }, async () => {
      const one = await begin(language);
      await vi.waitFor(
        async () => expect(await one.invoke({ url: 'http://10.77.81.10:8080/' })).toMatchObject({ result: 'shop 81' }),
        {
          timeout: 15_000,
          interval: 200,
        },
      );
      expect(await one.invoke({ url: 'http://shop.internal:8080/' })).toMatchObject({ result: 'shop 81' });
      expect(await one.invoke({ host: 'shop', port: 8080 })).toMatchObject({ result: 'shop 81' });
      // The other tenant's server runs and answers its own network.
      const refused = { result: expect.stringContaining('refused') };
      expect(await one.invoke({ host: portOf(others, 0).ip, port: 8080 })).toMatchObject(refused);
      await one.instance.kill();
    });
  });

  test('requests reaches a server there by address and name, and nothing of others', { timeout: 60_000 }, async () => {
    const one = await local.start(
      'python',
      `from pip._vendor import requests
def handler(event, context):
    try:
        return requests.get(event, timeout=2).text
    except requests.RequestException as error:
        return f"refused: {error}"`,
      { port: servicePort(own, portOf(own, 1)), layerFolders: [local.requestsLayer()] },
    );
    for (const host of ['10.77.81.10', 'shop.internal'])
      await vi.waitFor(
        async () => expect(await one.invoke(`http://${host}:8080/`)).toMatchObject({ result: 'shop 81' }),
        { timeout: 15_000, interval: 200 },
      );
    expect(await one.invoke(`http://${portOf(others, 0).ip}:8080/`)).toMatchObject({
      result: expect.stringContaining('refused'),
    });
    await one.instance.kill();
  });

  test('another tenant’s server does answer its own functions', { timeout: 60_000 }, async () => {
    const one = await local.start('python', code.python, { port: servicePort(others, portOf(others, 1)) });
    await vi.waitFor(
      async () => expect(await one.invoke({ url: 'http://10.77.82.10:8080/' })).toMatchObject({ result: 'shop 82' }),
      {
        timeout: 15_000,
        interval: 200,
      },
    );
    await one.instance.kill();
  });

  test('nothing of the host is reached: neither its loopback, nor its addresses, nor its names', {
    timeout: 60_000,
  }, async () => {
    const listener = createServer((_, response) => response.end('the host'));
    const loopback = await listenOnLoopback(listener);
    const open = createServer((_, response) => response.end('the host'));
    await new Promise<void>((resolve) => open.listen(0, '0.0.0.0', resolve));
    const address = open.address();
    const anywhere = typeof address === 'object' && address ? address.port : 0;
    const one = await begin('python');
    const addresses = Object.values(networkInterfaces()).flatMap((list) =>
      (list ?? []).filter(({ family }) => family === 'IPv4'),
    );
    const refused = { result: expect.stringContaining('refused') };
    expect(await one.invoke({ host: '127.0.0.1', port: loopback })).toMatchObject(refused);
    for (const ip of new Set(['10.77.81.1', ...addresses.map(({ address: ip }) => ip)]))
      expect([ip, await one.invoke({ host: ip, port: anywhere })]).toMatchObject([ip, refused]);
    listener.close();
    open.close();
    await one.instance.kill();
  });

  test('what its security groups do not let out stays inside', { timeout: 60_000 }, async () => {
    const one = await begin('python');
    const shop = { host: '10.77.81.10', port: 8080 };
    await vi.waitFor(async () => expect(await one.invoke(shop)).toMatchObject({ result: 'shop 81' }), {
      timeout: 15_000,
    });
    await apply(own, []);
    expect(await one.invoke(shop)).toMatchObject({ result: expect.stringContaining('refused') });
    await apply(own);
    await vi.waitFor(async () => expect(await one.invoke(shop)).toMatchObject({ result: 'shop 81' }), {
      timeout: 15_000,
    });
    await one.instance.kill();
  });

  test('instances of a function share its port, which is there for as long as one of them is', {
    timeout: 60_000,
  }, async () => {
    const [one, other] = await Promise.all([begin('python'), begin('python')]);
    expect(await functionNamespaces()).toHaveLength(1);
    await one.instance.kill();
    await vi.waitFor(
      async () => expect(await other.invoke({ host: '10.77.81.10', port: 8080 })).toMatchObject({ result: 'shop 81' }),
      {
        timeout: 15_000,
      },
    );
    await other.instance.kill();
    await vi.waitFor(async () => expect(await functionNamespaces()).toEqual([]), { timeout: 15_000 });
  });

  test('an attacker at a port can change nothing of it', { timeout: 60_000 }, async () => {
    const one = await local.start(
      'python',
      `import fcntl, socket, struct
def handler(event, context):
    def tried(work):
        try:
            work()
            return "done"
        except OSError as error:
            return error.strerror
    def address():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            fcntl.ioctl(one, 0x8916, struct.pack("16sH2s4s8s", b"eth0", socket.AF_INET, b"\\0\\0", socket.inet_aton("10.77.81.99"), b"\\0" * 8))
    return [tried(address), tried(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)), tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)),
        sorted(name for _, name in socket.if_nameindex())]`,
      { port: servicePort(own, portOf(own, 1)) },
    );
    const outcome = await one.invoke();
    const denied = expect.stringMatching(/not permitted|denied/);
    expect(outcome).toMatchObject({ kind: 'result', result: [denied, denied, denied, ['eth0', 'lo']] });
    await one.instance.kill();
  });
}
