import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Activity } from '@/lib/core/audit/schema';
import { execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { each } from '@/lib/core/domains/domain';
import { sealKey } from '@/lib/domains/certificates/sealed-key';
import { LogCollector } from '@/lib/domains/observability/logs/collect';
import { ownCell } from '@/lib/settings';
import { balancerTrouble, memberAt, startBalancerWorld, webListener } from '@/lib/testing/balancer-world';
import { testCertificate } from '@/lib/testing/certificates';
import { testDatabase } from '@/lib/testing/database';
import { loadbalancing } from './domain';
import { socketOf } from './nodes';
import { settleCertificates } from './renewals';
import { ask } from './runtime-api';
import { sampleTraffic } from './samples';
import type { LoadBalancer } from './schema';

testDatabase();
const trouble = await balancerTrouble();
if (trouble !== null && process.env.CI) throw new Error(trouble);

type World = Awaited<ReturnType<typeof startBalancerWorld>>;
const until = (condition: () => Promise<void>) => vi.waitFor(condition, { timeout: 90_000, interval: 50 });

describe.skipIf(trouble !== null)(`a load balancer with two nodes${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let world: World;
  beforeAll(async () => {
    world = await startBalancerWorld();
  }, 120_000);
  afterAll(() => world?.stop(), 120_000);

  const statuses = async () => Object.fromEntries((await world.members()).map(({ name, status }) => [name, status]));
  const one = (change?: { weight: number }) => memberAt('one', 201, change);
  const two = (change?: { weight: number }) => memberAt('two', 202, change);

  test('answers at its virtual IP in turn, and leaves out a member that fails its check until it is back', async () => {
    expect(await world.ask(20)).toEqual({ 'one 200': 10, 'two 200': 10 });
    const machine = [...world.machines.values()].find(({ spec }) => spec.port?.ip === '10.0.0.202');
    if (!machine) throw new Error('no server two');
    machine.isBusy = true;
    await world.services.stopService(machine.spec.id);
    await until(async () => expect(await statuses()).toEqual({ one: 'up', two: 'down' }));
    await world.untilIs({ operating_status: 'degraded' });
    expect(await world.ask(10)).toEqual({ 'one 200': 10 });
    machine.isBusy = false;
    await world.untilIs({ operating_status: 'online' });
    expect(await world.ask(10)).toEqual({ 'one 200': 5, 'two 200': 5 });
    const { body } = await world.call('GET', `/activity?resource_id=${world.balancer.id}`, world.as);
    const actions = (body as Activity[]).map(({ action, actor_name }) => `${actor_name}: ${action}`);
    expect(actions.slice(0, 2)).toEqual([
      'the platform: load_balancer.member_up',
      'the platform: load_balancer.member_down',
    ]);
  });

  test('its requests are in its log and its metrics, and so are changes of health', async () => {
    await world.inClient(`curl -s 'http://${world.balancer.vip_address}/order-4711'`);
    const collector = new LogCollector(ownCell(), each(loadbalancing.logs));
    const found = async (text: string) => {
      await collector.look();
      const logql = encodeURIComponent(`{service="lb", resource_name="shop"} |= "${text}"`);
      const { body } = await world.call('GET', `/observability/logs?query=${logql}`, world.as);
      return (body as { data: { result: { values: [string, string][] }[] } }).data.result.flatMap(
        ({ values }) => values,
      );
    };
    await until(async () => expect(await found('order-4711')).toHaveLength(1));
    const [[, line] = []] = await found('order-4711');
    expect(JSON.parse(line ?? '')).toMatchObject({
      status: 404,
      method: 'GET',
      path: '/order-4711',
      client: '10.0.0.210',
      port: 80,
    });
    expect((await found('is DOWN')).length).toBeGreaterThan(0);
    await collector.end();

    const value = async (query: string) => {
      const path = `/observability/prometheus/api/v1/query?query=${encodeURIComponent(query)}`;
      const { body } = await world.call('GET', path, world.as);
      return Number((body as { data: { result: { value: [number, string] }[] } }).data.result[0]?.value[1]);
    };
    const port = '{port="80"}';
    // The passive node's own check of a member that is back may come later.
    await until(async () => {
      await sampleTraffic(ownCell());
      expect(await value(`min(nephele_load_balancer_pool_serving_members${port})`)).toBe(2);
    });
    expect(await value(`sum(nephele_load_balancer_listener_requests${port})`)).toBe(41);
    expect(await value('sum(nephele_load_balancer_listener_responses{port="80",code="2xx"})')).toBe(40);
    expect(await value(`sum(nephele_load_balancer_pool_receive_bytes${port})`)).toBeGreaterThan(1000);
    const [p50, p99] = await Promise.all(
      ['p50', 'p99'].map((name) => value(`max(nephele_load_balancer_listener_${name}_seconds${port})`)),
    );
    expect(p50).toBeGreaterThan(0);
    expect(p99).toBeGreaterThanOrEqual(p50 ?? 0);
    expect(p99).toBeLessThan(2);
  });

  test('changes weights, members and listeners while clients lose no request', async () => {
    let asking = true;
    const answers: Record<string, number>[] = [];
    const clients = (async () => {
      while (asking) answers.push(await world.ask(500));
    })();
    await world.change(webListener(one({ weight: 3 }), two()));
    await world.change(webListener(one({ weight: 0 }), two()));
    await until(async () => expect(await statuses()).toEqual({ one: 'draining', two: 'up' }));
    await world.change(webListener(one()));
    // Further listeners need a reload.
    const tcp = {
      name: 'raw',
      protocol: 'TCP',
      port: 81,
      allowed_cidrs: ['10.0.0.0/8'],
      pool: { name: 'raw', algorithm: 'least_connections', sticky: 'source_ip', members: [two()] },
    };
    const closed = { ...tcp, name: 'closed', port: 82, allowed_cidrs: ['192.168.0.0/16'] };
    const moved = {
      ...webListener(one()),
      name: 'moved',
      port: 83,
      redirect_to_https: true,
      pool: { name: 'moved', algorithm: 'source_ip', sticky: 'cookie' },
    };
    const on = (port: number, pool: object) => ({ ...webListener(), name: `port-${port}`, port, pool });
    const cookie = on(84, { name: 'cookie', sticky: 'cookie', members: [one(), two()] });
    const backup = on(85, { name: 'backup', members: [memberAt('one', 201, { backup: true }), two()] });
    const source = on(86, { name: 'source', algorithm: 'source_ip', members: [one(), two()] });
    const stuck = on(87, { name: 'stuck', sticky: 'source_ip', members: [one(), two()] });
    await world.change(webListener(one(), two()), tcp, closed, moved, cookie, backup, source, stuck);
    asking = false;
    await clients;
    expect(new Set(answers.flatMap((some) => Object.keys(some)))).toEqual(new Set(['one 200', 'two 200']));
    expect(await world.ask(5, 81)).toEqual({ 'two 200': 5 });
    expect(await world.ask(2, 82)).toEqual({ ' 000': 2 });
    expect(await world.ask(2, 83)).toEqual({ ' 308': 2 });
    const sticky = await world.inClient(`curl -s -b none 'http://${world.balancer.vip_address}:84/?[1-6]'`);
    expect(sticky).toMatch(/^((one){6}|(two){6})$/);
    expect(await world.ask(6, 85)).toEqual({ 'two 200': 6 });
    for (const port of [86, 87]) expect([port, ...Object.values(await world.ask(6, port))]).toEqual([port, 6]);
    // A reload may lose a second of the count.
    const web = (await world.read()).listeners.find(({ port }) => port === 80);
    expect(web?.requests_total).toBeGreaterThan((500 * answers.length) / 2);
    await world.change(webListener(one(), two()));
  });

  test('passes WebSockets, prefers the member with the fewest connections, and closes idle connections', async () => {
    // Accepts every upgrade, sends back the request's Upgrade header, and echoes each line.
    const socket = `while read -r line; do line="\${line%?}"; [ -z "$line" ] && break
      case "$line" in [Uu]pgrade:*) asked="$line";; esac; done
      printf 'HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\\r\\n\\r\\n'
      echo "$asked"; while read -r line; do echo "echo $line"; done`;
    const serve = (name: string, ip: string, script: string) =>
      world.start(
        name,
        ip,
        `cat > /dev/shm/serve <<'END'\n${script}\nEND\nexec nc -ll -p 8080 -e /bin/busybox sh /dev/shm/serve`,
      );
    await serve('socket', '10.0.0.203', socket);
    await serve('busy', '10.0.0.204', 'while read -r line; do :; done');
    await serve('echo', '10.0.0.205', 'while read -r line; do echo "$line"; done');
    const on = (port: number, pool: object, protocol = 'HTTP') => ({ name: `port-${port}`, protocol, port, pool });
    const { status } = await world.call('PUT', world.path, {
      ...world.as,
      body: {
        listeners: [
          webListener(one(), two()),
          on(91, { name: 'socket', members: [memberAt('socket', 203)] }),
          on(92, { name: 'fewest', algorithm: 'least_connections', members: [one(), memberAt('busy', 204)] }),
          on(93, { name: 'idle', members: [memberAt('echo', 205)] }, 'TCP'),
        ],
        idle_timeout_s: 3,
      },
    });
    expect(status).toBe(202);
    await world.untilIs({ provisioning_status: 'active' });

    const vip = world.balancer.vip_address;
    const upgrade =
      'GET / HTTP/1.1\\r\\nHost: shop\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n' +
      'Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n';
    const talked = await world.inClient(`cat > /dev/shm/talk <<'END'
printf '${upgrade}'
read -r status
while read -r line; do [ "$line" = "$(printf '\\r')" ] && break; done
read -r asked; echo ping; read -r answer
printf '%s\\n' "$status" "$asked" "$answer" > /dev/shm/talked
END
nc ${vip} 91 -e /bin/busybox sh /dev/shm/talk; cat /dev/shm/talked`);
    expect(talked.replaceAll('\r', '').trim().split('\n')).toEqual([
      'HTTP/1.1 101 Switching Protocols',
      expect.stringMatching(/^upgrade: websocket$/i),
      'echo ping',
    ]);

    // The busy member never answers: a request without an answer has reached it.
    const answers = await world.inClient(`n=0
      while n=$((n + 1)); (curl -s -m 7 -o /dev/null http://${vip}:92/; touch /dev/shm/answered$n) &
        usleep 300000; [ -e /dev/shm/answered$n ]; do :; done
      curl -s -m 2 -w ' %{http_code}\\n' 'http://${vip}:92/?[1-20]'; wait`);
    expect(new Set(answers.trim().split('\n'))).toEqual(new Set(['one 200']));

    const closed = await world.inClient(`cat > /dev/shm/idle <<'END'
for turn in 1 2 3; do echo "$turn"; read -r answer; usleep 1500000; done
cut -d' ' -f1 /proc/uptime > /dev/shm/began; while read -r line; do :; done; cut -d' ' -f1 /proc/uptime > /dev/shm/ended
END
nc ${vip} 93 -e /bin/busybox sh /dev/shm/idle; cat /dev/shm/began /dev/shm/ended`);
    // Traffic every 1.5 s kept it open; without any, it ended 3 s after the last.
    const [began = 0, ended = 0] = closed.trim().split('\n').map(Number);
    expect(ended - began).toBeGreaterThan(1);
    expect(ended - began).toBeLessThan(4);
    await world.change(webListener(one(), two()));
  });

  test('a member that is drained finishes its connections and gets no new ones', async () => {
    const echo = 'while read -r line; do echo "$line"; done';
    const script = `cat > /dev/shm/serve <<'END'\n${echo}\nEND\nexec nc -ll -p 8080 -e /bin/busybox sh /dev/shm/serve`;
    await world.start('echo', '10.0.0.205', script);
    const draining = (weight: number) => ({
      name: 'drained',
      protocol: 'TCP',
      port: 94,
      pool: { name: 'drained', members: [memberAt('echo', 205, { weight })] },
    });
    await world.change(webListener(one(), two()), draining(1));
    const talk = world.inClient(`rm -f /dev/shm/open /dev/shm/go /dev/shm/heard; cat > /dev/shm/hold <<'END'
echo before; read -r line; echo "$line" > /dev/shm/heard; touch /dev/shm/open
until [ -e /dev/shm/go ]; do usleep 50000; done
echo after; read -r line; echo "$line" >> /dev/shm/heard
END
nc ${world.balancer.vip_address} 94 -e /bin/busybox sh /dev/shm/hold; cat /dev/shm/heard`);
    await world.inClient('until [ -e /dev/shm/open ]; do usleep 50000; done');
    await world.change(webListener(one(), two()), draining(0));
    const fresh = await world.inClient(`echo new | timeout 5 nc ${world.balancer.vip_address} 94; touch /dev/shm/go`);
    expect(fresh).toBe('');
    expect(await talk).toBe('before\nafter\n');
    await world.change(webListener(one(), two()));
  });

  test('members learn who asks, over which protocol, and by which id', async () => {
    // Answers with the request's own headers.
    const mirror = `seen=; while read -r line; do line="\${line%?}"; [ -z "$line" ] && break; seen="$seen$line;"; done
      printf 'HTTP/1.1 200 OK\\r\\nContent-Length: %s\\r\\nConnection: close\\r\\n\\r\\n%s' "\${#seen}" "$seen"`;
    const script = `cat > /dev/shm/serve <<'END'\n${mirror}\nEND\nexec nc -ll -p 8080 -e /bin/busybox sh /dev/shm/serve`;
    await world.start('mirror', '10.0.0.206', script);
    const on = {
      ...webListener(),
      name: 'mirror',
      port: 95,
      pool: { name: 'mirror', members: [memberAt('mirror', 206)] },
    };
    await world.change(webListener(one(), two()), on);
    const asked = `curl -s -m 5 -H 'X-Forwarded-Proto: https' http://${world.balancer.vip_address}:95/`;
    await until(async () => expect(await world.inClient(asked)).toContain('GET / HTTP/1.1;'));
    const headers = (await world.inClient(asked)).toLowerCase().split(';');
    expect(headers).toContain('x-forwarded-for: 10.0.0.210');
    expect(headers.filter((line) => line.startsWith('x-forwarded-proto'))).toEqual(['x-forwarded-proto: http']);
    expect(headers).toContainEqual(expect.stringMatching(/^x-request-id: [0-9a-f]+$/));
    await world.change(webListener(one(), two()));
  });

  test('security groups of the virtual IP decide which of its ports clients reach', async () => {
    const group = await world.call('POST', '/network/security-groups', { ...world.as, body: { name: 'front' } });
    const { id } = group.body as { id: string };
    const rule = (port: number) => ({
      direction: 'ingress',
      protocol: 'tcp',
      port_range_min: port,
      cidr: '10.0.0.0/24',
    });
    const open = (port: number) =>
      world.call('POST', `/network/security-groups/${id}/rules`, { ...world.as, body: rule(port) });
    expect((await open(80)).status).toBe(201);
    const created = await world.call('POST', '/lbaas/loadbalancers', {
      ...world.as,
      body: {
        name: 'guarded',
        network_id: world.balancer.network_id,
        security_group_ids: [id],
        listeners: [webListener(one()), { ...webListener(one()), name: 'other', port: 81 }],
      },
    });
    expect(created.status).toBe(201);
    const { id: guarded, vip_address } = created.body as LoadBalancer;
    const path = `/lbaas/loadbalancers/${guarded}`;
    const answer = (port: number) =>
      world.inClient(`curl -s -o /dev/null -m 5 -w '%{http_code}' http://${vip_address}:${port}/`);
    await until(async () => expect(await answer(80)).toBe('200'));
    expect(await answer(81)).toBe('000');
    expect((await open(81)).status).toBe(201);
    await until(async () => expect(await answer(81)).toBe('200'));
    const settled = async () => ((await world.call('GET', path, world.as)).body as LoadBalancer).provisioning_status;
    await until(async () => expect(await settled()).toBe('active'));
    expect((await world.call('DELETE', path, world.as)).status).toBe(202);
    await until(async () => expect((await world.call('GET', path, world.as)).status).toBe(404));
  });

  test('HTTPS: the certificate follows the host name, and a renewed one is served without a reload', async () => {
    const { project } = world;
    const made = await Promise.all(['a.test', 'b.test'].map((name) => testCertificate({ names: [name] })));
    const ids = await Promise.all(
      made.map(async ({ certificate, key }, index) => {
        const body = { name: `c${index}`, certificate_pem: certificate, private_key_pem: key };
        return ((await world.call('POST', '/gateway/certificates', { ...world.as, body })).body as { id: string }).id;
      }),
    );
    const secure = { ...webListener(one(), two()), name: 'secure', protocol: 'HTTPS', port: 443, certificate_ids: ids };
    await world.change(webListener(one(), two()), secure);
    expect((await world.read()).listeners).toMatchObject([{ certificate_ids: [] }, { certificate_ids: ids }]);
    /** The protocol of the response where the client trusts only this certificate. */
    const asks = (name: string, { certificate }: { certificate: string }, more = '') =>
      world.inClient(`printf '%s' '${certificate}' > /dev/shm/trusted.pem
        curl -s -o /dev/null -m 5 --cacert /dev/shm/trusted.pem ${more} -w '%{http_version} %{http_code}' \\
          --resolve ${name}:443:${world.balancer.vip_address} https://${name}/`);
    const [a, b] = made;
    if (!a || !b) throw new Error('two certificates');
    expect(await asks('a.test', a)).toBe('2 200');
    expect(await asks('b.test', b, '--http1.1')).toBe('1.1 200');
    expect(await asks('b.test', a)).toBe('0 000');
    expect(await asks('a.test', a, '--tls-max 1.1')).toBe('0 000');

    const { id: node } = await world.activeNode();
    const pid = async () => /^Pid: \d+/m.exec((await ask(socketOf(ownCell(), node), ['show info'])) ?? '')?.[0];
    const before = await pid();
    const renewed = await testCertificate({ names: ['a.test'] });
    const [id = ''] = ids;
    await execute(sql`UPDATE certificates SET chain_pem = ${renewed.certificate}::text,
      sealed_key = ${sealKey(project.id, id, renewed.key)}::bytea WHERE id = ${id}::uuid`);
    await until(async () => {
      await settleCertificates(ownCell());
      expect(await asks('a.test', renewed)).toBe('2 200');
    });
    expect(await pid()).toBe(before);

    // A further certificate, and one less, reach the running process as well.
    const further = await testCertificate({ names: ['c.test'] });
    const body = { name: 'further', certificate_pem: further.certificate, private_key_pem: further.key };
    const added = (await world.call('POST', '/gateway/certificates', { ...world.as, body })).body as { id: string };
    const [, second = ''] = ids;
    await world.change(webListener(one(), two()), { ...secure, certificate_ids: [id, second, added.id] });
    expect(await asks('c.test', further)).toBe('2 200');
    expect(await asks('b.test', b)).toBe('2 200');
    await world.change(webListener(one(), two()), { ...secure, certificate_ids: [added.id, id] });
    expect(await asks('b.test', b)).toBe('0 000');
    expect(await asks('a.test', renewed)).toBe('2 200');
    expect(await asks('c.test', further)).toBe('2 200');
    expect(await pid()).toBe(before);
    // A process that starts anew reads the same from its files.
    await world.signalTo(node, 'SIGKILL');
    await world.untilIs({ operating_status: 'online' });
    await until(async () => expect(await pid()).toBeDefined());
    expect(await asks('c.test', further)).toBe('2 200');

    const remove = () => world.call('DELETE', `/gateway/certificates/${id}`, world.as);
    expect((await remove()).body).toMatchObject({ error: { code: 'CONFLICT' } });
    await world.change(webListener(one(), two()));
    expect((await remove()).status).toBe(204);
  });

  // Thousands of requests over TLS, whatever else this machine does.
  test('weights, members and certificates change without a lost request or connection', {
    timeout: 300_000,
  }, async () => {
    const made = await Promise.all(['a.test', 'b.test', 'c.test'].map((name) => testCertificate({ names: [name] })));
    const ids: string[] = [];
    for (const [index, { certificate, key }] of made.entries()) {
      const body = { name: `load-${index}`, certificate_pem: certificate, private_key_pem: key };
      ids.push(((await world.call('POST', '/gateway/certificates', { ...world.as, body })).body as { id: string }).id);
    }
    const [a = '', b = '', c = ''] = ids;
    const wanted = (certificate_ids: string[], ...members: ReturnType<typeof memberAt>[]) => ({
      ...webListener(...members),
      name: 'secure',
      protocol: 'HTTPS',
      port: 443,
      certificate_ids,
    });
    await world.change(wanted([a], one(), two()));
    const changes = [
      wanted([a, b], one({ weight: 3 }), two()),
      wanted([b, a, c], one(), two({ weight: 7 })),
      wanted([c, b], one()),
      wanted([a, b, c], one({ weight: 0 }), two()),
      wanted([a], one(), two()),
    ];
    const url = `https://${world.balancer.vip_address}`;
    let isOver = false;
    const load = Promise.all([
      // Two clients that keep their connections, and one that begins a new one with every request.
      world.requests(6_000, url, '-k'),
      world.requests(6_000, url, '-k'),
      (async () => {
        const seen: Awaited<ReturnType<World['requests']>>[] = [];
        while (!isOver) seen.push(await world.requests(100, url, "-k -H 'Connection: close' --http1.1"));
        return seen;
      })(),
    ]);
    for (const listener of [...changes, ...changes]) await world.change(listener);
    const renewed = await testCertificate({ names: ['a.test'] });
    await execute(sql`UPDATE certificates SET chain_pem = ${renewed.certificate}::text,
      sealed_key = ${sealKey(world.project.id, a, renewed.key)}::bytea WHERE id = ${a}::uuid`);
    await settleCertificates(ownCell());
    isOver = true;
    const [first, second, fresh] = await load;
    for (const kept of [first, second]) expect(kept).toEqual({ answered: 6_000, failed: 0, connections: 1 });
    for (const each of fresh) expect(each).toEqual({ answered: 100, failed: 0, connections: 100 });
    expect(fresh.length).toBeGreaterThan(0);
    await world.change(webListener(one(), two()));
  });

  test.each([
    ['is killed', ({ id }: { id: string }) => world.signalTo(id, 'SIGKILL'), false],
    ['loses its link', ({ port_id }: { port_id: string }) => world.setLink(port_id, 'down'), true],
    ['hangs', ({ id }: { id: string }) => world.signalTo(id, 'SIGSTOP'), true],
  ])('clients are answered again within two seconds when the active node %s', async (_, fail, isOut) => {
    await world.untilIs({ operating_status: 'online' });
    const before = await world.activeNode();
    const gap_ms = await world.longestGap(6, () => fail(before));
    // Two seconds on an idle machine; tests share theirs.
    expect(gap_ms).toBeLessThan(3_000);
    if (isOut) expect((await world.activeNode()).id).not.toBe(before.id);
    await world.setLink(before.port_id, 'up');
    await world.untilIs({ operating_status: 'online' });
    if (isOut) expect((await world.activeNode()).id).not.toBe(before.id);
  });

  test('is deleted without a trace', async () => {
    expect((await world.call('DELETE', world.path, world.as)).status).toBe(202);
    await until(async () => expect((await world.call('GET', world.path, world.as)).status).toBe(404));
    const left = (await world.services.observeServices()).map(({ id }) => id).sort();
    expect(left).toEqual([...world.machines.keys()].sort());
    for (const table of ['load_balancer_nodes', 'load_balancer_listeners', 'reservations']) {
      expect([table, await query(sql`SELECT FROM ${raw(table)}`)]).toEqual([table, []]);
    }
  });
});
