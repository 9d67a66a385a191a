import { randomInt } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Redirected } from '@/lib/domains/network/engine';
import { log } from '@/lib/log';
import { EngineError } from '../../error';
import { run } from '../exec';
import { type Host, shortHash } from '../host';
import { PYTHON } from '../programs';
import { routerNamespace } from './names';
import { namespaceCommand, namespaceExists } from './namespaces';
import { routerOfNetwork } from './router-record';
import { REDIRECTED, WAKING } from './ruleset';

const WAKE = join(dirname(fileURLToPath(import.meta.url)), 'wake.py');
/**
 * Translates the address of connections to `from` in the router's namespace, which all packets between machines of a network pass
 * anyway. Both ends are translated: answers come back this way, and a member of a cluster knows its endpoint's address.
 */
export async function redirect(host: Host, from: Redirected, to: string | null): Promise<void> {
  const name = await routerOf(host, from);
  await run([...(await namespaceCommand(host, name)), 'nft', '-f', '-'], { input: rulesOf(from, to) });
}

/** A table for each, so that it is replaced as a whole, and no other ruleset resets it. */
function rulesOf({ address, port }: Redirected, to: string | null): string {
  const table = `inet nephele_redirect_${shortHash(`${address}:${port}`, 12)}`;
  const empty = [`table ${table}`, `delete table ${table}`];
  if (to === null) return `${empty.join('\n')}\n`;
  return [
    ...empty,
    `table ${table} {`,
    // Runs before the translation of floating IPs, so connections through one still have its address and don't match.
    'chain prerouting { type nat hook prerouting priority dstnat - 1',
    `ip daddr ${address} tcp dport ${port} ct mark set ${REDIRECTED} dnat ip to ${to}`,
    '}',
    'chain postrouting { type nat hook postrouting priority srcnat - 1',
    `ct mark ${REDIRECTED} ct original ip daddr ${address} tcp dport ${port} snat ip to ${address}`,
    '}',
    '}',
    '',
  ].join('\n');
}

/**
 * Forgets connections that were led elsewhere: whatever their clients send next belongs to none, and is answered with a reset. Those that
 * only wait are made to send something.
 */
export async function endRedirected(host: Host, from: Redirected, keep: string | null): Promise<void> {
  const inside = await namespaceCommand(host, await routerOf(host, from));
  const chosen = ['-p', 'tcp', '-d', from.address, '--dport', String(from.port), '-m', String(REDIRECTED)];
  const led = parseConnections(await run([...inside, 'conntrack', '-L', ...chosen]));
  const ended = led.filter(({ to }) => to !== keep);
  // It fails where all of them have ended by themselves meanwhile.
  for (const to of new Set(ended.map((connection) => connection.to)))
    await run([...inside, 'conntrack', '-D', ...chosen, '-r', to]).catch(() => {});
  if (ended.length === 0) return;
  const clients = ended.map(({ client, port }) => [client, port]);
  const input = JSON.stringify({ ...from, clients, mark: WAKING, sequence: randomInt(2 ** 32) });
  // They are cut off already, and nothing else waits for them to notice.
  run([...inside, PYTHON, WAKE], { input }).catch((error) =>
    log.warn({ error }, 'clients could not be told of an end'),
  );
}

/** Lines of `conntrack -L`: the client's half, then the half of who answers. */
export const parseConnections = (lines: string): { client: string; port: number; to: string }[] =>
  [...lines.matchAll(/ src=(\S+) dst=\S+ sport=(\d+) dport=\d+ (?:\[UNREPLIED\] )?src=(\S+) /g)].map(
    ([, client = '', port, to = '']) => ({ client, port: Number(port), to }),
  );

async function routerOf(host: Host, { networkId }: Redirected): Promise<string> {
  const id = await routerOfNetwork(host, networkId);
  const name = id && routerNamespace(host, id);
  if (!name || !(await namespaceExists(host, name)))
    throw new EngineError('NOT_FOUND', `This host has no network ${networkId}.`);
  return name;
}
