import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Network, Port } from '@/lib/domains/network/engine';
import { SERVICE_ADDRESS, SERVICE_NAME } from '@/lib/service-address';
import { EngineError } from '../../error';
import { type Host, shortHash } from '../host';
import { endProcess, findProcess, signal, startProcess } from '../processes';
import { removePath } from '../record';
import { waitFor } from '../turns';
import { type AddressPlan, resolverOf } from './address-plan';
import { netmaskOf, rangeOf, toAddress } from './addresses';
import { bridgeName } from './names';
import { upstreamResolvers } from './resolvers';

const directoryOf = (host: Host, networkId: string) => join(host.directory, 'network', networkId);

const namesFile = (host: Host, networkId: string) => join(directoryOf(host, networkId), 'names');

/**
 * Runs dnsmasq for one network: fixed DHCP leases for its ports, names of its guests, and everybody else's names from
 * the host's resolvers. New ports are told to the running process; a changed network gets a new one.
 */
export async function ensureDnsmasq(
  host: Host,
  plan: AddressPlan,
  network: Network,
  namespace: string[],
): Promise<void> {
  const directory = directoryOf(host, network.id);
  await mkdir(directory, { recursive: true });
  const settings = join(directory, 'dnsmasq.conf');
  const leases = join(directory, 'hosts');
  const settingsChanged = await rewrite(settings, configuration(host, plan, network, leases));
  const leasesChanged = await rewrite(leases, hostLines(network));
  const namesChanged = await rewrite(namesFile(host, network.id), nameLines(network));
  const running = findProcess(host, 'dnsmasq', network.id);
  if (running && !settingsChanged) {
    if (leasesChanged || namesChanged) signal(running, 'SIGHUP');
    return;
  }
  if (running) await endProcess(running, 2_000);
  const mode = host.isolation === 'root' ? ['--keep-in-foreground', '--user=nobody'] : ['--no-daemon'];
  const log = join(directory, 'dnsmasq.log');
  await removePath(log);
  const command = [...namespace, 'dnsmasq', ...mode, `--conf-file=${settings}`];
  const hasEnded = startProcess(host, 'dnsmasq', network.id, command, log);
  const said = async () => (await readFile(log, 'utf8')).includes('started, version');
  await waitFor(async () => hasEnded() || (await said()), { timeoutMs: 20_000, everyMs: 20 });
  if (hasEnded() || !(await said())) {
    throw new EngineError('ENGINE_ERROR', `dnsmasq did not start: ${(await readFile(log, 'utf8')).trim().slice(-500)}`);
  }
}

/** Ends a network's dnsmasq and removes its files. */
export async function removeDnsmasq(host: Host, networkId: string): Promise<void> {
  const running = findProcess(host, 'dnsmasq', networkId);
  if (running) await endProcess(running, 2_000);
  await removePath(directoryOf(host, networkId));
}

/** Whether the file had to change. */
async function rewrite(file: string, text: string): Promise<boolean> {
  if ((await readFile(file, 'utf8').catch(() => null)) === text) return false;
  await writeFile(file, text, { mode: 0o644 });
  return true;
}

function configuration(host: Host, plan: AddressPlan, network: Network, leases: string): string {
  const upstream = host.isolation === 'root' ? upstreamResolvers() : [resolverOf(plan)];
  const dhcp = [
    `dhcp-range=${toAddress(rangeOf(network.cidr).first)},static,${netmaskOf(network.cidr)},12h`,
    `dhcp-hostsfile=${leases}`,
    `dhcp-option=option:router,${network.gatewayIp}`,
    `dhcp-option=option:dns-server,${(network.dnsServers.length > 0 ? network.dnsServers : [network.gatewayIp]).join(',')}`,
    // Leases are fixed, so there is nothing to remember between two runs.
    'leasefile-ro',
    'dhcp-authoritative',
    'no-ping',
  ];
  return [
    `interface=${bridgeName(network.id)}`,
    'except-interface=lo',
    'bind-dynamic',
    'no-resolv',
    'no-hosts',
    'no-poll',
    'log-facility=-',
    'pid-file=',
    'domain=internal',
    'expand-hosts',
    'local=/internal/',
    'stop-dns-rebind',
    `addn-hosts=${namesFile(host, network.id)}`,
    ...upstream.map((server) => `server=${server}`),
    ...(network.dhcpEnabled ? dhcp : []),
    '',
  ].join('\n');
}

/** The name of the service address is nobody else's, whatever a machine is called. */
const isReserved = (name: string) => [SERVICE_NAME, ...SERVICE_NAME.split('.', 1)].includes(name.toLowerCase());
const hostnameOf = ({ id, hostname }: Port) => (isReserved(hostname) ? `port-${shortHash(id, 12)}` : hostname);

/** Names are told apart from leases, so that they resolve after a restart and without DHCP too. */
const nameLines = ({ ports, names }: Network) =>
  [
    `${SERVICE_ADDRESS} ${SERVICE_NAME}\n`,
    ...ports.map((port) => `${port.ip} ${hostnameOf(port)}\n`),
    ...names.filter(({ name }) => !isReserved(name)).map(({ name, address }) => `${address} ${spellings(name)}\n`),
  ].join('');

/** dnsmasq itself adds the domain to names of one label. */
const spellings = (name: string) => (name.includes('.') ? `${name} ${name}.internal` : name);

const hostLines = (network: Network) =>
  network.ports.map((port) => `${port.mac},${port.ip},${hostnameOf(port)},12h\n`).join('');
