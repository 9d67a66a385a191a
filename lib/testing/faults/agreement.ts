import { basename, join } from 'node:path';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { readRouter } from '@/lib/domains/network/topology';
import { engineOf } from '@/lib/engines/engines';
import { run } from '@/lib/engines/local/exec';
import { describeHost, functionSockets, groupsOf, type Host, shortHash } from '@/lib/engines/local/host';
import { addressPlan } from '@/lib/engines/local/network/address-plan';
import { readLinks } from '@/lib/engines/local/network/links';
import { bridgeName, edgeNamespace, routerNamespace, tapName, UPLINK } from '@/lib/engines/local/network/names';
import { existingNamespaces, namespaceCommand } from '@/lib/engines/local/network/namespaces';
import { serviceSocket } from '@/lib/engines/local/network/relay';
import { rulesetOf } from '@/lib/engines/local/network/ruleset';
import { findProcesses } from '@/lib/engines/local/processes';
import { namesIn } from '@/lib/engines/local/record';
import { readLayers } from '@/lib/engines/local/storage/chain';
import { allSnapshots, allVolumes, layerFile } from '@/lib/engines/local/storage/layers';
import { domains } from '@/lib/platform/domains';
import { ownCell, settings } from '@/lib/settings';
import { differences, ledgerDisagreements } from './ledgers';

type Facts = {
  instances: {
    id: string;
    status: string;
    task: string | null;
    power: string;
    generation: number;
    volumes: string[];
  }[];
  volumes: { id: string; status: string; size_gb: number }[];
  snapshots: { id: string; status: string }[];
  images: { id: string }[];
};

/**
 * All disagreements between database, quota, processes, interfaces, rules and files of this host, in words; empty when
 * everything agrees. Reads the platform's database and data folder from the settings.
 */
export async function disagreements(): Promise<string[]> {
  const host = describeHost({ dataDir: settings().dataDir });
  const facts = await readFacts();
  const waiting = await unfinished(facts);
  if (waiting.length > 0) return waiting;
  const found = await Promise.all([
    ledgerDisagreements(domains),
    machines(host, facts),
    disks(host, facts),
    network(host),
    files(host, facts),
  ]);
  return found.flat();
}

async function readFacts(): Promise<Facts> {
  const [instances, volumes, snapshots, images] = await Promise.all([
    query<Facts['instances'][number]>(sql`SELECT i.id, i.status, i.task, i.power, i.generation,
      ARRAY(SELECT a.volume_id::text FROM volume_attachments a WHERE a.instance_id = i.id ORDER BY 1) AS volumes FROM instances i`),
    query<Facts['volumes'][number]>(sql`SELECT id, status, size_gb FROM volumes`),
    query<Facts['snapshots'][number]>(sql`SELECT id, status FROM snapshots`),
    query<Facts['images'][number]>(sql`SELECT id FROM images WHERE status = 'active'`),
  ]);
  return { instances, volumes, snapshots, images };
}

async function unfinished({ instances, volumes, snapshots }: Facts): Promise<string[]> {
  const operations = await query<{ kind: string; resource_id: string; stage: string; error: string | null }>(
    sql`SELECT kind, resource_id, stage, error FROM operations WHERE status IN ('pending', 'running')`,
  );
  const settled = { running: 'active', paused: 'paused', stopped: 'stopped' } as Record<string, string>;
  return [
    ...operations.map(({ kind, resource_id, error }) => `${kind} of ${resource_id} goes on: ${error}`),
    ...instances
      .filter(({ status, task, power }) => status !== settled[power] || task !== null)
      .map(({ id, status, task, power }) => `instance ${id} should be ${power} and is ${status} (${task})`),
    ...volumes
      .filter(({ id, status }) => {
        const attached = instances.some((instance) => instance.volumes.includes(id));
        return status !== (attached ? 'in_use' : 'available');
      })
      .map(({ id, status }) => `volume ${id} is ${status}`),
    ...snapshots.filter(({ status }) => status !== 'available').map(({ id, status }) => `snapshot ${id} is ${status}`),
  ];
}

async function machines(host: Host, { instances }: Facts): Promise<string[]> {
  const on = instances.filter(({ power }) => power !== 'stopped').map(({ id }) => id);
  const processes = findProcesses(host).flatMap(({ role, id }) => (role === 'qemu' ? [id] : []));
  const seen = await engineOf(ownCell()).compute.observeInstances();
  const describe = (generation: number | null, power: string, volumes: string[]) =>
    `generation ${generation}, ${power}, volumes ${power === 'stopped' ? '-' : volumes.toSorted().join(' ')}`;
  const groups = (await groupsOf(host).kinds()).length > 0 ? await groupsOf(host).names() : on;
  return [
    ...differences('machine', on, processes),
    ...differences('group', on, groups),
    ...differences(
      'machine',
      instances.map(({ id, generation, power, volumes }) => `${id}: ${describe(generation, power, volumes)}, no fault`),
      seen.map(
        ({ id, generation, power, volumeIds, fault }) =>
          `${id}: ${describe(generation, power, volumeIds)}, ${fault ?? 'no fault'}`,
      ),
    ),
  ];
}

async function disks(host: Host, { volumes, snapshots }: Facts): Promise<string[]> {
  const seen = await engineOf(ownCell()).storage.observeStorage();
  const layers = await readLayers(host);
  const needed = new Set<string>();
  const queue = [
    ...[...(await allVolumes(host)).values()].map(({ head }) => layerFile(host, head)),
    ...[...(await allSnapshots(host)).values()].map(({ layer }) => layerFile(host, layer)),
  ];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (needed.has(file)) continue;
    needed.add(file);
    const base = layers.get(file)?.base;
    if (base && !base.file.includes('/images/')) queue.push(base.file);
  }
  return [
    ...differences('layer', needed, layers.keys()),
    ...differences(
      'volume',
      volumes.map(({ id, size_gb }) => `${id} of ${size_gb} GB`),
      seen.volumes.map(({ id, sizeGb }) => `${id} of ${sizeGb} GB`),
    ),
    ...differences(
      'snapshot',
      snapshots.map(({ id }) => id),
      seen.snapshots.map(({ id }) => id),
    ),
  ];
}

/** The routers that should exist on this host. */
async function wantedRouters() {
  const ids = await query<{ id: string }>(sql`SELECT id FROM routers WHERE cell_id = ${ownCell()}::text`);
  const routers = await Promise.all(ids.map(({ id }) => readRouter(ownCell(), id)));
  return routers.flatMap((router) => (router && router.networks.length > 0 ? router : []));
}

async function network(host: Host): Promise<string[]> {
  const routers = await wantedRouters();
  const plan = await addressPlan(host);
  const networks = routers.flatMap((router) => router.networks);
  const daemons = findProcesses(host).flatMap(({ role, id }) => (role === 'dnsmasq' ? [id] : []));
  const namespaces = [edgeNamespace(host), ...routers.map(({ id }) => routerNamespace(host, id))];
  const found = [
    ...differences(
      'dnsmasq',
      networks.map(({ id }) => id),
      daemons,
    ),
    ...differences('namespace', routers.length > 0 ? namespaces : [], await existingNamespaces(host)),
  ];
  for (const router of found.length > 0 ? [] : routers) {
    const inside = await namespaceCommand(host, routerNamespace(host, router.id));
    const links = await readLinks(inside);
    const wanted = [
      ...['lo', UPLINK],
      ...router.networks.map(({ id }) => bridgeName(id)),
      ...router.networks.flatMap(({ ports }) =>
        ports.flatMap(({ id, attachment }) => (attachment === 'none' ? [] : [tapName(id)])),
      ),
    ];
    found.push(...differences('interface', wanted, links.keys()));
    // The expected rules in this kernel's format: loaded into a scratch namespace.
    const script = rulesetOf(host, plan, router);
    const list = 'nft -s list ruleset';
    const should = await run(['unshare', '--net', 'sh', '-c', `nft -f - && ${list}`], { input: script });
    const is = await run([...inside, 'sh', '-c', list]);
    found.push(...differences('rule', normalised(should), normalised(is)));
  }
  return found;
}

const normalised = (ruleset: string) =>
  ruleset
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

async function files(host: Host, { instances, volumes, snapshots, images }: Facts): Promise<string[]> {
  const names = (folder: string) => namesIn(join(host.directory, folder));
  const records = (rows: { id: string }[]) => rows.map(({ id }) => `${id}.json`);
  const routers = await wantedRouters();
  const networks = routers.flatMap((router) => router.networks);
  const formats = await query<{ name: string }>(
    sql`SELECT id || '.' || lower(format) AS name FROM images WHERE status = 'active'`,
  );
  const layers = [...(await readLayers(host)).keys()].map((file) => file.slice(file.lastIndexOf('/') + 1));
  const on = instances.filter(({ power }) => power !== 'stopped').map(({ id }) => shortHash(id, 16));
  const relays = routers.map(({ id }) => basename(serviceSocket(host, id)));
  return [
    ...differences('file', [...records(instances), ...instances.map(({ id }) => id)], await names('instances')),
    ...differences('file', records(volumes), await names('volumes')),
    ...differences('file', records(snapshots), await names('snapshots')),
    ...differences('file', layers, await names('layers')),
    ...differences('file', [...records(images), ...formats.map(({ name }) => name)], await names('images')),
    ...differences('file', [], await names('uploads')),
    ...differences(
      'file',
      [...networks.map(({ id }) => id), 'plan.json', 'routers', 'networks'],
      await names('network'),
    ),
    ...differences('file', records(routers), await names('network/routers')),
    ...differences('file', records(networks), await names('network/networks')),
    ...differences('socket', [...on, ...relays, basename(functionSockets(host))], await namesIn(host.sockets)),
  ];
}

/** Everything that a stopped platform has left on the host. */
export async function remains(dataDir: string): Promise<string[]> {
  const host = describeHost({ dataDir });
  const tables = (await run(['nft', 'list', 'tables'])).split('\n').filter((line) => line.includes(host.tag));
  const links = (await run(['ls', '/sys/class/net'])).split('\n').filter((line) => line.includes(host.tag));
  const processes = findProcesses(host).map(({ role, id }) => `${role} ${id}`);
  return [
    ...processes,
    ...(await existingNamespaces(host)),
    ...tables,
    ...links,
    ...(await groupsOf(host).folders()),
    ...(await namesIn(host.sockets)),
  ];
}
