import { access, constants, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { SERVICE_NAME } from '@/lib/service-address';
import { detailOf } from '../error';
import type { EngineStatus } from '../status';
import { chooseAccelerator } from './accelerator';
import { machineLimits } from './compute/limits';
import { run } from './exec';
import { functionTrouble } from './functions/trial';
import { type Host, prepareHost } from './host';
import { hostCable } from './network/names';
import { hasPython, installHint, missingOf, missingPrograms, TINY_PROGRAMS } from './programs';
import { serviceLimits, troubleOf } from './services/limits';

/** What each engine can do on this host, found by trying. A missing program of one engine does not stop the others. */
export async function probeHost(host: Host): Promise<EngineStatus[]> {
  await prepareHost(host);
  return Promise.all([
    probeCompute(host),
    probeNetwork(host),
    probeStorage(host),
    probeImages(host),
    probeServices(host),
    probeFunctions(host),
  ]);
}

async function probeCompute(host: Host): Promise<EngineStatus> {
  const missing = missingPrograms('compute', host.isolation);
  if (missing.length > 0) return lacking('compute', missing);
  const blocked = await blockedFolder(host);
  if (blocked) {
    const message = `Guests run as separate users that cannot access ${blocked}. Set DATA_DIR to a folder such as /var/lib/nephele.`;
    return { engine: 'compute', ok: false, missing: [], message };
  }
  const accelerator = await chooseAccelerator(host);
  const message = `${accelerator.why} This host has no GPU slices.`;
  return { engine: 'compute', ok: true, missing: [], message, limits: await machineLimits(host) };
}

const PYTHON_PACKAGE = [{ program: 'python3', package: 'python3-minimal' }];

async function probeNetwork(host: Host): Promise<EngineStatus> {
  const unprivileged = host.isolation === 'user';
  const missing = missingPrograms('network', host.isolation);
  if (missing.length > 0) return lacking('network', missing);
  const trouble = (await tunTrouble()) ?? (unprivileged ? await userNamespaceTrouble() : await namespaceTrouble());
  if (trouble) return { engine: 'network', ok: false, missing: [], message: trouble };
  const message = unprivileged
    ? 'Without root, floating IPs are loopback addresses of this host, and guests see all clients as one address.'
    : 'Floating IPs are reachable from this host, and from other hosts once their range is routed here.';
  const firewall = unprivileged ? '' : await foreignFirewall(host);
  const lacks = hasPython() ? [] : PYTHON_PACKAGE;
  const service = lacks.length > 0 ? ` Guests cannot reach the platform at ${SERVICE_NAME}. ${installHint(lacks)}` : '';
  return { engine: 'network', ok: true, missing: lacks, message: `${message}${firewall}${service}` };
}

const chains = z.object({
  nftables: z.array(
    z.looseObject({ chain: z.object({ hook: z.string().optional(), policy: z.string().optional() }).optional() }),
  ),
});

/** Docker and some firewalls drop all that is forwarded and not theirs; our own rules can't overrule them. */
async function foreignFirewall(host: Host): Promise<string> {
  const listed = chains.safeParse(JSON.parse(await run(['nft', '-j', 'list', 'chains']).catch(() => '{}')));
  const drops =
    listed.data?.nftables.some(({ chain }) => chain?.hook === 'forward' && chain.policy === 'drop') ?? false;
  const cable = hostCable(host);
  const remedy = `iptables -I FORWARD -i ${cable} -j ACCEPT && iptables -I FORWARD -o ${cable} -j ACCEPT`;
  return drops
    ? ` Another firewall on this host drops forwarded traffic, so guests cannot reach the internet. As root: ${remedy}`
    : '';
}

async function probeStorage(host: Host): Promise<EngineStatus> {
  const missing = missingPrograms('storage', host.isolation);
  if (missing.length > 0) return lacking('storage', missing);
  return { engine: 'storage', ok: true, missing: [], message: `Volumes are QCOW2 files in ${host.directory}.` };
}

async function probeImages(host: Host): Promise<EngineStatus> {
  const missing = missingPrograms('images', host.isolation);
  if (missing.length > 0) return lacking('images', missing);
  const tiny = missingOf(TINY_PROGRAMS);
  const message =
    tiny.length > 0
      ? `nephele-tiny cannot be built here; all other images work. ${installHint(tiny)}`
      : 'All image formats are supported.';
  return { engine: 'images', ok: true, missing: tiny, message };
}

async function probeServices(host: Host): Promise<EngineStatus> {
  const missing = missingPrograms('services', host.isolation);
  if (missing.length > 0) return lacking('services', missing);
  const limits = await serviceLimits(host);
  const trouble = troubleOf(limits);
  const message = trouble ?? 'Each service runs in a sandbox of its own.';
  return { engine: 'services', ok: trouble === null, missing: [], message, limits };
}

async function probeFunctions(host: Host): Promise<EngineStatus> {
  const missing = missingPrograms('functions', host.isolation);
  if (missing.length > 0) return lacking('functions', missing);
  const trouble = await functionTrouble(host);
  const message = trouble ?? 'Each instance of a function runs in a sandbox of its own.';
  return { engine: 'functions', ok: trouble === null, missing: [], message };
}

function lacking(engine: EngineStatus['engine'], missing: EngineStatus['missing']): EngineStatus {
  return { engine, ok: false, missing, message: installHint(missing) };
}

/** The first folder on the way to the engine's files that other users can't pass through. */
async function blockedFolder(host: Host): Promise<string | null> {
  if (host.isolation !== 'root') return null;
  for (let folder = dirname(host.dataDir); folder !== '/'; folder = dirname(folder)) {
    const passes = run(['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--', 'test', '-x', folder]);
    const isOpen = await passes.then(
      () => true,
      () => false,
    );
    if (!isOpen) return folder;
  }
  return null;
}

async function tunTrouble(): Promise<string | null> {
  try {
    await access('/dev/net/tun', constants.R_OK | constants.W_OK);
    return null;
  } catch {
    return '/dev/net/tun is missing or not accessible to this user. As root: modprobe tun && chmod 666 /dev/net/tun';
  }
}

/** Tries everything that a router needs in a namespace that is gone a moment later. */
const TRIAL = [
  'set -e',
  'ip link set lo up',
  'ip link add trial0 type bridge',
  'ip link add trial1 type veth peer name trial2',
  'ip tuntap add dev trial3 mode tap',
  'nft add table inet trial',
  'nft add table bridge trial',
  '[ -e /proc/sys/net/bridge/bridge-nf-call-iptables ] || { echo "br_netfilter is not loaded" >&2; exit 1; }',
].join('\n');

async function namespaceTrouble(): Promise<string | null> {
  const missesFilter = await access('/proc/sys/net/bridge').then(
    () => false,
    () => true,
  );
  if (missesFilter) await run(['modprobe', 'br_netfilter']).catch(() => {});
  return run(['unshare', '--net', 'sh', '-c', TRIAL]).then(
    () => null,
    (error) =>
      `This host does not allow network namespaces with bridges: ${detailOf(error)}. In a container, grant CAP_NET_ADMIN and CAP_SYS_ADMIN.`,
  );
}

async function userNamespaceTrouble(): Promise<string | null> {
  const enter = ['unshare', '--user', '--map-root-user', '--net', '--mount'];
  const opened = await run([...enter, 'true']).then(
    () => null,
    (error) => detailOf(error),
  );
  if (opened !== null) return `${opened}. ${await whyNoUserNamespaces()}`;
  return run([...enter, 'sh', '-c', TRIAL]).then(
    () => null,
    (error) => `User namespaces work, but: ${detailOf(error)}. As root: modprobe -a br_netfilter tun`,
  );
}

async function whyNoUserNamespaces(): Promise<string> {
  const setting = async (file: string) => (await readFile(`/proc/sys/${file}`, 'utf8').catch(() => '')).trim();
  if ((await setting('kernel/apparmor_restrict_unprivileged_userns')) === '1') {
    return 'AppArmor prevents users from creating namespaces. As root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0';
  }
  if ((await setting('kernel/unprivileged_userns_clone')) === '0') {
    return 'The kernel prevents users from creating namespaces. As root: sysctl -w kernel.unprivileged_userns_clone=1';
  }
  if ((await setting('user/max_user_namespaces')) === '0') {
    return 'User namespaces are disabled. As root: sysctl -w user.max_user_namespaces=10000';
  }
  return 'This host (possibly a chroot or a container) does not allow user namespaces. Run as root instead.';
}
