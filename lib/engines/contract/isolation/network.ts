import { createServer, type Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import type { NetworkStage } from '../semantics/network';

/**
 * Tests that the local network engine protects the host and other tenants' guests from hostile guests, beyond the
 * contract semantics.
 */
export function networkIsolation({
  subject,
  shell,
  succeeds,
  ping,
  fetches,
  apply,
  open,
  one,
  shared,
}: NetworkStage): void {
  it('lets no guest send from an address that is not its own', async () => {
    expect(await succeeds('one', `ip address add 10.77.0.99/24 dev eth0; ${ping('-I 10.77.0.99 10.77.0.12')}`)).toBe(
      false,
    );
    await shell('one').run('ip address del 10.77.0.99/24 dev eth0');
    await shell('one').run('arping -c 2 -w 2 -U -s 10.77.0.1 -I eth0 10.77.0.1');
    expect((await shell('two').run('ip neigh show 10.77.0.1')).output).not.toContain(one.mac);
    const change = (mac: string) => `ip link set eth0 down; ip link set eth0 address ${mac}; ip link set eth0 up`;
    expect(await succeeds('one', `${change('02:4e:00:00:00:77')}; ${ping('10.77.0.12')}`)).toBe(false);
    await shell('one').run(`${change(one.mac)}; ip route replace default via 10.77.0.1`);
    await shell('one').eventually(ping('10.77.0.12'));
  });

  it('never lets a guest reach the host, its database or the metadata address', async () => {
    const server = await listen();
    const { port } = portOf(server);
    const addresses = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ family }) => family === 'IPv4');
    try {
      for (const { address } of addresses) {
        const url = `http://${address}:${port}/`;
        expect(await (await fetch(url)).text()).toBe('the host');
        expect(await succeeds('one', `${fetches(url)} | grep -q "the host"`), url).toBe(false);
      }
      const gateway = `nc -w 2 ${shared.gatewayIp} ${port} < /dev/null`;
      expect(await succeeds('one', gateway)).toBe(false);
      expect(await succeeds('one', fetches('http://169.254.169.254/'))).toBe(false);
    } finally {
      server.close();
    }
  });

  it('restarts crashed daemons', async (context) => {
    const { crashNetworkDaemons } = subject();
    if (!crashNetworkDaemons) return context.skip();
    await crashNetworkDaemons();
    await apply(open);
    await shell('one').eventually('nslookup two.internal');
    await shell('one').eventually('udhcpc -i eth0 -n -q -t 3 -T 2 -s /bin/dhcp-event');
    await shell('one').eventually(ping('10.77.0.12'));
  });
}

function listen(): Promise<Server> {
  const server = createServer((_request, response) => response.end('the host'));
  return new Promise((resolve) => server.listen(0, '0.0.0.0', () => resolve(server)));
}

function portOf(server: Server): { port: number } {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address;
}
