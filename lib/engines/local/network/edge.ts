import { readFileSync } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '../../error';
import { run } from '../exec';
import type { Host } from '../host';
import { endProcess, findProcess, findProcesses, startProcess } from '../processes';
import { removePath } from '../record';
import { waitFor } from '../turns';
import { type AddressPlan, gatewayOf } from './address-plan';
import { prefixLengthOf } from './addresses';
import { applyHostRules } from './host-rules';
import { changeLinks, changeSettings, readLinks } from './links';
import { EDGE_BRIDGE, EDGE_CABLE, edgeNamespace, hostCable } from './names';
import {
  createNamespace,
  ensureHolder,
  holderPid,
  namespaceCommand,
  namespaceExists,
  releaseHolder,
  removeNamespace,
} from './namespaces';

/**
 * The edge: a namespace with one switch on which every router and the way out meet. The way out is a cable to the host
 * (root) or slirp4netns; either way its address is the segment's gateway.
 * @returns whether its switch or slirp4netns is new, so that no router is connected to it or none of its forwards is there
 */
export async function ensureEdge(host: Host, plan: AddressPlan): Promise<boolean> {
  await ensureHolder(host);
  const name = edgeNamespace(host);
  if (!(await namespaceExists(host, name))) await createNamespace(host, name);
  const edge = await namespaceCommand(host, name);
  const isNew = !(await readLinks(edge)).has(EDGE_BRIDGE);
  if (isNew) {
    await changeSettings(edge, {
      'bridge/bridge-nf-call-iptables': '0',
      'bridge/bridge-nf-call-ip6tables': '0',
      'ipv6/conf/all/disable_ipv6': '1',
      'ipv6/conf/default/disable_ipv6': '1',
    });
    await changeLinks(edge, ['link set lo up', `link add ${EDGE_BRIDGE} type bridge`, `link set ${EDGE_BRIDGE} up`]);
  }
  if (host.isolation === 'root') await ensureHostCable(host, plan, edge);
  const slirpIsNew = host.isolation === 'user' && (await ensureSlirp(host, plan, edge));
  if ((await readLinks(edge)).get(EDGE_CABLE)?.master !== EDGE_BRIDGE) {
    await changeLinks(edge, [`link set ${EDGE_CABLE} master ${EDGE_BRIDGE} up`]);
  }
  return isNew || slirpIsNew;
}

/** Guests open it as users of their own, and may only attach to taps that are theirs. Distributions ship it open. */
async function openTunDevice(): Promise<void> {
  const { mode } = await stat(TUN);
  if ((mode & 0o006) !== 0o006) await chmod(TUN, 0o666);
}

async function ensureHostCable(host: Host, plan: AddressPlan, edge: string[]): Promise<void> {
  await openTunDevice();
  const cable = hostCable(host);
  await applyHostRules(host, plan);
  const present = (await readLinks([])).has(cable);
  if (!present || !(await readLinks(edge)).has(EDGE_CABLE)) {
    if (present) await changeLinks([], [`link delete ${cable}`]);
    await changeLinks([], [`link add ${cable} type veth peer name ${EDGE_CABLE} netns ${edgeNamespace(host)}`]);
    await changeSettings([], { [`ipv6/conf/${cable}/disable_ipv6`]: '1' });
  }
  const gateway = gatewayOf(plan);
  await changeLinks(
    [],
    [
      `address replace ${gateway}/${prefixLengthOf(plan.segment)} dev ${cable}`,
      `link set ${cable} up`,
      `route replace ${plan.pool} dev ${cable} src ${gateway}`,
    ],
  );
  if (readFileSync('/proc/sys/net/ipv4/ip_forward', 'utf8').trim() !== '1') {
    await changeSettings([], { 'ipv4/ip_forward': '1' });
  }
}

const TUN = '/dev/net/tun';

/** Unix socket through which slirp4netns is told what to forward. */
export const slirpSocket = (host: Host) => join(host.sockets, 'slirp.sock');

/** @returns whether it had to be started */
async function ensureSlirp(host: Host, plan: AddressPlan, edge: string[]): Promise<boolean> {
  if (findProcess(host, 'slirp', 'edge')) return false;
  const socket = slirpSocket(host);
  await removePath(socket);
  const log = join(host.directory, 'logs', 'slirp.log');
  const command = [
    ...['slirp4netns', '--disable-host-loopback', '--mtu=1500', `--cidr=${plan.segment}`, `--api-socket=${socket}`],
    ...[String(holderPid(host)), EDGE_CABLE],
  ];
  const hasEnded = startProcess(host, 'slirp', 'edge', command, log);
  const isReady = async () => hasEnded() || (await readLinks(edge)).has(EDGE_CABLE);
  await waitFor(isReady, { timeoutMs: 20_000, everyMs: 50 });
  if (!hasEnded() && (await readLinks(edge)).has(EDGE_CABLE)) return true;
  const words = readFileSync(log, 'utf8').trim().slice(-500);
  throw new EngineError('ENGINE_UNAVAILABLE', `slirp4netns did not start: ${words || 'is it installed?'}`);
}

/** Takes down the edge with all that it made on the host; no error when some or all is gone. */
export async function removeEdge(host: Host): Promise<void> {
  if (host.isolation === 'user') {
    for (const process of findProcesses(host)) if (process.role === 'slirp') await endProcess(process, 2_000);
    await removePath(slirpSocket(host));
    return releaseHolder(host);
  }
  const cable = hostCable(host);
  if ((await readLinks([])).has(cable)) await changeLinks([], [`link delete ${cable}`]);
  await run(['nft', '-f', '-'], { input: `table inet ${cable}\ndelete table inet ${cable}\n` });
  if (await namespaceExists(host, edgeNamespace(host))) await removeNamespace(host, edgeNamespace(host));
}
