import { z } from 'zod';
import { NANO, TINY_IMAGE } from '../hosts';
import type { Reply, StubbornClient } from './client';

const created = z.object({ id: z.string() });

type Machine = { power: 'running' | 'paused' | 'stopped' };
type Disk = { instance: string | null; size_gb: number };
type Address = { instance: string | null };

/** All changes that were acknowledged to a project's member. */
export class Acknowledged {
  readonly machines = new Map<string, Machine>();
  readonly disks = new Map<string, Disk>();
  readonly snapshots = new Map<string, { size_gb: number }>();
  readonly addresses = new Map<string, Address>();
  readonly rules = new Set<string>();
  /** Volumes with data, and the instance that they stay attached to: neither is deleted or rebuilt. */
  readonly kept = new Set<string>();
}

/** Sends random requests from a seed, and records which were acknowledged. */
export class Operator {
  readonly log: string[] = [];
  private count = 0;

  constructor(
    private readonly client: StubbornClient,
    readonly known: Acknowledged,
    private readonly random: () => number,
    private readonly networkId: string,
    private readonly groupId: string,
  ) {}

  /** One random operation. @throws when an acknowledged resource is reported as unknown */
  async act(): Promise<void> {
    const acts = [
      ...repeat(3, () => this.power()),
      ...repeat(2, () => this.createMachine()),
      ...repeat(1, () => this.deleteMachine()),
      ...repeat(2, () => this.createDisk()),
      ...repeat(1, () => this.deleteDisk()),
      ...repeat(3, () => this.attach()),
      ...repeat(2, () => this.detach()),
      ...repeat(1, () => this.grow()),
      ...repeat(2, () => this.freeze()),
      ...repeat(1, () => this.thaw()),
      ...repeat(1, () => this.addRule()),
      ...repeat(1, () => this.removeRule()),
      ...repeat(2, () => this.moveAddress()),
    ];
    await this.pick(acts)?.();
  }

  private pick<T>(choices: readonly T[]): T | undefined {
    return choices[Math.floor(this.random() * choices.length)];
  }

  /** @returns the answer if acknowledged, undefined if refused for a valid reason */
  private async ask(method: string, path: string, body?: object): Promise<Reply | undefined> {
    const reply = await this.client.call(method, path, body);
    this.log.push(`${method} ${path} ${JSON.stringify(body ?? {})} → ${reply.status}`);
    if (reply.status < 300) return reply;
    // A repeated delete whose first answer was lost finds nothing.
    if (reply.status === 409 || reply.status === 403 || (reply.status === 404 && method === 'DELETE')) return undefined;
    throw new Error(`${method} ${path} → ${reply.status} ${JSON.stringify(reply.body)}`);
  }

  private name(kind: string): string {
    this.count += 1;
    return `${kind}-${this.count}`;
  }

  async createMachine(): Promise<void> {
    const body = { name: this.name('vm'), flavor_id: NANO, image_id: TINY_IMAGE, network_id: this.networkId };
    const reply = await this.ask('POST', '/compute/instances', body);
    if (reply) this.known.machines.set(created.parse(reply.body).id, { power: 'running' });
  }

  private async deleteMachine(): Promise<void> {
    const id = this.pick([...this.known.machines.keys()].filter((machine) => !this.known.kept.has(machine)));
    if (id === undefined) return;
    await this.ask('DELETE', `/compute/instances/${id}`);
    this.known.machines.delete(id);
    for (const part of [...this.known.disks.values(), ...this.known.addresses.values()]) {
      if (part.instance === id) part.instance = null;
    }
  }

  private async power(): Promise<void> {
    const chosen = this.pick([...this.known.machines]);
    if (!chosen) return;
    const [id, machine] = chosen;
    const actions = ['reboot', 'start', 'stop', 'pause', 'unpause'] as const;
    const action = this.pick(this.known.kept.has(id) ? actions : ([...actions, 'rebuild'] as const));
    const leadsTo = { start: 'running', stop: 'stopped', pause: 'paused', unpause: 'running' } as const;
    if (action === undefined || !(await this.ask('POST', `/compute/instances/${id}/action`, { action }))) return;
    if (action !== 'reboot' && action !== 'rebuild') machine.power = leadsTo[action];
  }

  async createDisk(): Promise<string | undefined> {
    const [snapshot_id, source] = (this.random() < 0.3 && this.pick([...this.known.snapshots])) || [];
    const size_gb = source?.size_gb ?? 1;
    const body = { name: this.name('disk'), size_gb, ...(snapshot_id ? { snapshot_id } : {}) };
    const reply = await this.ask('POST', '/storage/volumes', body);
    if (!reply) return undefined;
    const { id } = created.parse(reply.body);
    this.known.disks.set(id, { instance: null, size_gb });
    return id;
  }

  private async deleteDisk(): Promise<void> {
    const id = this.pick([...this.known.disks.keys()]);
    // Refused while it is attached or has snapshots; a 404 means that an earlier try succeeded.
    if (id === undefined) return;
    const reply = await this.client.call('DELETE', `/storage/volumes/${id}`);
    this.log.push(`DELETE /storage/volumes/${id} → ${reply.status}`);
    if (reply.status === 202 || reply.status === 404) this.known.disks.delete(id);
  }

  private async attach(): Promise<void> {
    const free = [...this.known.disks].filter(([, { instance }]) => instance === null);
    const disk = this.pick(free);
    const machine = this.pick([...this.known.machines.keys()]);
    if (!disk || machine === undefined) return;
    const [id, facts] = disk;
    if (await this.ask('POST', `/storage/volumes/${id}/attach`, { instance_id: machine })) facts.instance = machine;
  }

  private async detach(): Promise<void> {
    const held = [...this.known.disks].filter(([id, { instance }]) => instance !== null && !this.known.kept.has(id));
    const disk = this.pick(held);
    if (!disk) return;
    const [id, facts] = disk;
    if (await this.ask('POST', `/storage/volumes/${id}/detach`, {})) facts.instance = null;
  }

  private async grow(): Promise<void> {
    const disk = this.pick([...this.known.disks]);
    if (!disk) return;
    const [id, facts] = disk;
    const size_gb = facts.size_gb + 1;
    if (await this.ask('POST', `/storage/volumes/${id}/resize`, { size_gb })) facts.size_gb = size_gb;
  }

  private async freeze(): Promise<void> {
    const disk = this.pick([...this.known.disks]);
    if (!disk) return;
    const [volume_id, { size_gb }] = disk;
    const reply = await this.ask('POST', '/storage/snapshots', { name: this.name('snapshot'), volume_id });
    if (reply) this.known.snapshots.set(created.parse(reply.body).id, { size_gb });
  }

  private async thaw(): Promise<void> {
    const id = this.pick([...this.known.snapshots.keys()]);
    if (id === undefined) return;
    const reply = await this.client.call('DELETE', `/storage/snapshots/${id}`);
    this.log.push(`DELETE /storage/snapshots/${id} → ${reply.status}`);
    if (reply.status === 202 || reply.status === 404) this.known.snapshots.delete(id);
  }

  private async addRule(): Promise<void> {
    const port_range_min = 1 + Math.floor(this.random() * 60_000);
    const rule = { direction: 'ingress', protocol: 'tcp', port_range_min, cidr: '0.0.0.0/0' };
    const reply = await this.ask('POST', `/network/security-groups/${this.groupId}/rules`, rule);
    if (reply) this.known.rules.add(created.parse(reply.body).id);
  }

  private async removeRule(): Promise<void> {
    const id = this.pick([...this.known.rules]);
    if (id === undefined) return;
    await this.ask('DELETE', `/network/security-groups/rules/${id}`);
    this.known.rules.delete(id);
  }

  private async moveAddress(): Promise<void> {
    const chosen = this.pick([...this.known.addresses]);
    if (!chosen || (this.known.addresses.size < 3 && this.random() < 0.5)) {
      const reply = await this.ask('POST', '/network/floating-ips', {});
      if (reply) this.known.addresses.set(created.parse(reply.body).id, { instance: null });
      return;
    }
    const [id, facts] = chosen;
    const taken = new Set([...this.known.addresses.values()].map(({ instance }) => instance));
    const instance_id = this.pick([...this.known.machines.keys()].filter((machine) => !taken.has(machine)));
    if (facts.instance !== null) {
      if (await this.ask('POST', `/network/floating-ips/${id}/disassociate`, {})) facts.instance = null;
    } else if (instance_id !== undefined) {
      if (await this.ask('POST', `/network/floating-ips/${id}/associate`, { instance_id }))
        facts.instance = instance_id;
    }
  }
}

const repeat = <T>(times: number, value: T): T[] => Array.from({ length: times }, () => value);

const machine = z.object({ id: z.string(), status: z.string(), status_reason: z.string().nullable() });
const disk = z.object({
  id: z.string(),
  size_gb: z.number(),
  attachments: z.array(z.object({ instance_id: z.string() })),
});
const address = z.object({ id: z.string(), instance_id: z.string().nullable() });
const group = z.object({ id: z.string(), rules: z.array(z.object({ id: z.string(), direction: z.string() })) });

/** Differences between the acknowledged and the actual state, one per line. */
export async function broken(client: StubbornClient, known: Acknowledged): Promise<string[]> {
  const settled = { running: 'active', paused: 'paused', stopped: 'stopped' };
  const told = [
    ...[...known.machines].map(([id, { power }]) => `machine ${id} ${settled[power]}`),
    ...[...known.disks].map(([id, { instance, size_gb }]) => `disk ${id} of ${size_gb} GB in ${instance}`),
    ...[...known.snapshots.keys()].map((id) => `snapshot ${id}`),
    ...[...known.addresses].map(([id, { instance }]) => `address ${id} of ${instance}`),
    ...[...known.rules].map((id) => `rule ${id}`),
  ];
  const groups = await client.list('/network/security-groups', group);
  const found = [
    ...(await client.list('/compute/instances', machine)).map(({ id, status }) => `machine ${id} ${status}`),
    ...(await client.list('/storage/volumes', disk)).map(
      ({ id, size_gb, attachments }) => `disk ${id} of ${size_gb} GB in ${attachments[0]?.instance_id ?? null}`,
    ),
    ...(await client.list('/storage/snapshots', created)).map(({ id }) => `snapshot ${id}`),
    ...(await client.list('/network/floating-ips', address)).map(
      ({ id, instance_id }) => `address ${id} of ${instance_id}`,
    ),
    ...groups.flatMap(({ rules }) =>
      rules.filter(({ direction }) => direction === 'ingress').map(({ id }) => `rule ${id}`),
    ),
  ];
  return [
    ...told.filter((line) => !found.includes(line)).map((line) => `acknowledged, and not so: ${line}`),
    ...found.filter((line) => !told.includes(line)).map((line) => `so, and not acknowledged: ${line}`),
  ];
}
