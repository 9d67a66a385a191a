import { availableParallelism, release } from 'node:os';
import { join } from 'node:path';
import type { ServiceSpec } from '@/lib/hosts/services/engine';
import { SERVICE_ADDRESS, SERVICE_NAME } from '@/lib/service-address';
import { type Host, shortHash } from '../host';
import { Groups } from '../sandbox/groups';
import { seccompFilter } from './seccomp';
import { entriesFolder, serviceNamespace, serviceSockets } from './service-record';
import { stateFolder } from './state-folder';
import { filesFolder } from './volatile';

/** How the program's folder is laid out: made once when it is unpacked, with a mount point for each of these. */
export const MOUNT_POINTS = ['proc', 'dev', 'tmp', 'run', 'state', 'etc/service', 'run/service'];

/** A small init that reaps orphans and passes signals on, in every sandbox. */
export const INIT = '/.init';

const servicesGroup = (host: Host) => `nephele-${host.tag}-services`;

/** All services together against the platform's own processes, each of which weighs 1: traffic is served while the platform works. */
export const SERVICES_WEIGHT = 2 * availableParallelism();

/** The cgroups of this engine's services, which the container runtime makes; only root has any. */
export const serviceGroups = (host: Host) => new Groups(host.isolation === 'root' ? servicesGroup(host) : null);

type Bundle = {
  host: Host;
  spec: ServiceSpec;
  uid: number;
  root: string;
  init: string;
  /** Where its disk bandwidth is limited; null where this host can't. */
  disk: { major: number; minor: number } | null;
};

/** The sandbox as the container runtime takes it (OCI runtime specification 1.0, `config.json`). */
export function ociConfig({ host, spec, uid, root, init, disk }: Bundle): object {
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid, gid: uid, umask: 0o077 },
      args: [INIT, '--', ...spec.argv],
      env: [
        'PATH=/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin',
        'LC_ALL=C.UTF-8',
        'HOME=/state',
        ...Object.entries(spec.environment).map(([name, value]) => `${name}=${value}`),
      ],
      cwd: '/',
      capabilities: capabilities(host, spec),
      noNewPrivileges: true,
      oomScoreAdj: 300,
      rlimits: rlimits(host, spec),
    },
    root: { path: root, readonly: true },
    hostname: `service-${shortHash(spec.id, 8)}`,
    mounts: mounts(host, spec, init),
    linux: {
      namespaces: namespaces(host, spec),
      cgroupsPath: `/${join(servicesGroup(host), spec.id)}`,
      resources: resources(spec, disk),
      seccomp: seccompFilter(host.isolation),
      maskedPaths: [
        ...['/proc/acpi', '/proc/asound', '/proc/kcore', '/proc/keys', '/proc/latency_stats', '/proc/timer_list'],
        ...['/proc/timer_stats', '/proc/sched_debug', '/proc/scsi', '/sys/firmware'],
      ],
      readonlyPaths: ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
    },
  };
}

/** None, but of a front as root: it listens at low ports. */
function capabilities(host: Host, { front }: ServiceSpec): Record<string, string[]> {
  const given = front && host.isolation === 'root' ? ['CAP_NET_BIND_SERVICE'] : [];
  return { bounding: given, effective: given, inheritable: given, permitted: given, ambient: given };
}

/** Without root they are all that the kernel holds a service to; the supervisor watches the rest. */
function rlimits(host: Host, { limits, state }: ServiceSpec): object[] {
  const limit = (type: string, value: number) => ({ type, hard: value, soft: value });
  return [
    limit('RLIMIT_NOFILE', limits.openFiles),
    limit('RLIMIT_CORE', 0),
    ...(host.isolation === 'user' && countsProcessesByNamespace() ? [limit('RLIMIT_NPROC', limits.processes)] : []),
    ...(host.isolation === 'user' && state ? [limit('RLIMIT_FSIZE', state.sizeMb * MB)] : []),
  ];
}

/** Since Linux 5.14; before, all processes of this user counted together. */
export function countsProcessesByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

/** Whether a service has a network namespace that outlives its sandbox. */
export const hasNetwork = ({ port, egress }: ServiceSpec) => port !== null || egress !== undefined;

function namespaces(host: Host, spec: ServiceSpec): object[] {
  const fresh = ['pid', 'mount', 'ipc', 'uts', 'cgroup'];
  if (spec.front) return fresh.map((type) => ({ type }));
  const network = hasNetwork(spec)
    ? { type: 'network', path: join('/run/netns', serviceNamespace(host, spec.id)) }
    : { type: 'network' };
  return [...fresh.map((type) => ({ type })), network];
}

function mounts(host: Host, spec: ServiceSpec, init: string): object[] {
  const files = filesFolder(host, spec.id);
  const readOnly = ['bind', 'ro', 'nosuid', 'nodev'];
  const inMemory = (destination: string, size: string, ...options: string[]) => ({
    destination,
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', 'nodev', `size=${size}`, ...options],
  });
  const bind = (destination: string, source: string, options: string[]) => ({
    destination,
    type: 'bind',
    source,
    options,
  });
  return [
    { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
    { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'strictatime', 'mode=755', 'size=64k'] },
    inMemory('/dev/shm', `${Math.max(16, Math.floor(spec.limits.memoryMb / 2))}m`, 'noexec', 'mode=1777'),
    inMemory('/tmp', '64m', 'noexec', 'mode=1777'),
    inMemory('/run', '16m', 'noexec', 'mode=1777'),
    bind('/run/service', serviceSockets(host, spec.id), ['bind', 'rw', 'nosuid', 'nodev', 'noexec']),
    ...(spec.front ? [bind('/run/entries', entriesFolder(host), ['bind', 'ro', 'nosuid', 'nodev', 'noexec'])] : []),
    bind('/etc/service', join(files, 'service'), readOnly),
    ...['passwd', 'group', 'hosts', 'resolv.conf', 'nsswitch.conf'].map((name) =>
      bind(`/etc/${name}`, join(files, 'etc', name), [...readOnly, 'noexec']),
    ),
    bind(INIT, init, readOnly),
    ...(spec.state ? [bind('/state', stateFolder(host, spec.id), ['bind', 'rw', 'nosuid', 'nodev', 'noexec'])] : []),
  ];
}

const MB = 1024 ** 2;
const PERIOD_US = 100_000;

function resources({ limits }: ServiceSpec, disk: Bundle['disk']): object {
  const bytes = limits.memoryMb * MB;
  const throttle = disk && limits.diskMbPerSecond && [{ ...disk, rate: limits.diskMbPerSecond * MB }];
  return {
    memory: { limit: bytes, swap: bytes },
    pids: { limit: limits.processes },
    cpu: {
      shares: Math.max(2, Math.round((limits.cpuMillis * 1024) / 1000)),
      quota: Math.max(1000, Math.round((limits.cpuMillis * PERIOD_US) / 1000)),
      period: PERIOD_US,
    },
    devices: [{ allow: false, access: 'rwm' }],
    ...(throttle && { blockIO: { throttleReadBpsDevice: throttle, throttleWriteBpsDevice: throttle } }),
  };
}

/** The made-up `/etc` of a sandbox: its own user and nobody else's. */
export function systemFiles(spec: ServiceSpec, uid: number): Record<string, string> {
  const servers = spec.port ? (spec.port.dnsServers.length > 0 ? spec.port.dnsServers : [spec.port.gatewayIp]) : [];
  const platform = hasNetwork(spec) ? `${SERVICE_ADDRESS} ${SERVICE_NAME}\n` : '';
  return {
    passwd: `service:x:${uid}:${uid}:service:/state:/nonexistent\n`,
    group: `service:x:${uid}:\n`,
    hosts: `127.0.0.1 localhost\n${platform}${spec.port ? `${spec.port.ip} service-${shortHash(spec.id, 8)}\n` : ''}`,
    'resolv.conf': servers.map((server) => `nameserver ${server}\n`).join(''),
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
  };
}

type Supervision = { host: Host; spec: ServiceSpec; runc: readonly string[]; oomFile: string | null };

/** What the supervisor reads: how to run the sandbox, when to run it again, and what to hold it to where the kernel does not. */
export function shimSpec({ host, spec, runc, oomFile }: Supervision): object {
  return {
    id: spec.id,
    runc,
    restart: spec.restart,
    front: spec.front ?? false,
    stop_signal: spec.stopSignal ?? 'SIGTERM',
    stop_seconds: spec.stopSeconds ?? 10,
    oom_file: oomFile,
    watch: host.isolation === 'root' ? null : watchedLimits(host, spec),
  };
}

function watchedLimits(host: Host, { id, limits, state }: ServiceSpec): object {
  return {
    memory_bytes: limits.memoryMb * MB,
    processes: limits.processes,
    state: state && {
      folder: stateFolder(host, id),
      size_mb: state.sizeMb,
      bytes: (state.sizeMb + FOLDER_OVERHEAD_MB) * MB,
      files: state.sizeMb * FILES_PER_MB,
    },
  };
}

/** As many files as the file system of a state folder has room for as root. */
const FILES_PER_MB = 128;
/** What the folders themselves take. */
const FOLDER_OVERHEAD_MB = 1;
