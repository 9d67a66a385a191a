import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { administrator, owner } from '../accounts';
import { NANO, TINY_IMAGE } from '../hosts';

const identified = z.looseObject({ id: z.string(), status: z.string().optional() });
const signedIn = z.object({ access_token: z.string() });

/** A client of one realm of a platform; any answer but a success throws. */
export class Caller {
  private constructor(
    readonly url: string,
    readonly token: string,
  ) {}

  static async tenant(url: string): Promise<Caller> {
    return new Caller(url, await signIn(url, '/api/v1/auth/login', owner));
  }

  static async administrator(url: string): Promise<Caller> {
    return new Caller(url, await signIn(url, '/admin/api/v1/auth/login', administrator));
  }

  async ask(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} → ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async create(path: string, body: object): Promise<string> {
    return identified.parse(await this.ask('POST', path, body)).id;
  }

  async list(path: string): Promise<z.output<typeof identified>[]> {
    return z.array(identified).parse(await this.ask('GET', path));
  }

  /** Waits until a resource has a status. */
  async reaches(path: string, status: string, timeoutMs = 300_000): Promise<void> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const found = identified.parse(await this.ask('GET', path));
      if (found.status === status) return;
      if (found.status === 'error' || Date.now() > until)
        throw new Error(`${path} is ${JSON.stringify(found)}, not ${status}`);
      await delay(500);
    }
  }

  /** Waits until a resource is gone. */
  async vanishes(path: string, timeoutMs = 300_000): Promise<void> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const response = await fetch(`${this.url}${path}`, { headers: { Authorization: `Bearer ${this.token}` } });
      if (response.status === 404) return;
      if (Date.now() > until) throw new Error(`${path} is still there: ${await response.text()}`);
      await delay(500);
    }
  }
}

async function signIn(url: string, path: string, account: object): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(account),
  });
  return signedIn.parse(await response.json()).access_token;
}

/** The resources of a furnished project. */
export type Furniture = { running: string; writing: string; stopped: string; volume: string; floatingIp: string };

/**
 * Fills the demo project as a tenant would within some weeks: instances running and stopped, volumes, addresses, rules,
 * snapshots, secrets, tokens, a budget, and another tenant beside it.
 */
export async function furnish(tenant: Caller, admin: Caller): Promise<Furniture> {
  const v1 = '/api/v1';
  const network = await tenant.create(`${v1}/network/networks`, { name: 'backend', cidr: '10.77.0.0/24' });
  await tenant.reaches(`${v1}/network/networks/${network}`, 'active');
  const group = await tenant.create(`${v1}/network/security-groups`, { name: 'web' });
  await tenant.ask('POST', `${v1}/network/security-groups/${group}/rules`, {
    direction: 'ingress',
    protocol: 'tcp',
    port_range_min: 80,
    port_range_max: 81,
    cidr: '0.0.0.0/0',
  });
  const key = await tenant.create(`${v1}/compute/keypairs`, { name: 'laptop' });
  const machine = (name: string) =>
    tenant.create(`${v1}/compute/instances`, {
      name,
      flavor_id: NANO,
      image_id: TINY_IMAGE,
      network_id: network,
      security_group_ids: [group],
      key_pair_id: key,
    });
  const [running, writing, stopped] = [await machine('running'), await machine('writing'), await machine('stopped')];
  const volume = await tenant.create(`${v1}/storage/volumes`, { name: 'data', size_gb: 2 });
  const spare = await tenant.create(`${v1}/storage/volumes`, { name: 'spare', size_gb: 1 });
  for (const id of [running, writing, stopped]) await tenant.reaches(`${v1}/compute/instances/${id}`, 'active');
  await tenant.reaches(`${v1}/storage/volumes/${volume}`, 'available');
  await tenant.reaches(`${v1}/storage/volumes/${spare}`, 'available');
  await tenant.ask('POST', `${v1}/storage/volumes/${volume}/attach`, { instance_id: writing });
  await tenant.reaches(`${v1}/storage/volumes/${volume}`, 'in_use');
  const snapshot = await tenant.create(`${v1}/storage/snapshots`, { name: 'before', volume_id: spare });
  await tenant.reaches(`${v1}/storage/snapshots/${snapshot}`, 'available');
  await tenant.ask('POST', `${v1}/compute/instances/${stopped}/action`, { action: 'stop' });
  await tenant.reaches(`${v1}/compute/instances/${stopped}`, 'stopped');
  const floatingIp = await tenant.create(`${v1}/network/floating-ips`, {});
  await tenant.ask('POST', `${v1}/network/floating-ips/${floatingIp}/associate`, { instance_id: writing });
  await tenant.create(`${v1}/vault/secrets`, { name: 'password', type: 'passphrase', payload: 'correct horse' });
  await tenant.create(`${v1}/auth/tokens`, { name: 'ci', role: 'reader' });
  await tenant.ask('PUT', `${v1}/billing/budget`, {
    monthly_limit_usd: 250,
    thresholds: [50, 80],
    notify_emails: ['money@example.com'],
    enable_quota_freeze: true,
  });
  const projects = await admin.list('/admin/api/v1/tenants');
  for (const { id } of projects) {
    await admin.ask('POST', `/admin/api/v1/tenants/${id}/credits`, { amount_usd: 500.55, reason: 'Welcome' });
  }
  await admin.create('/admin/api/v1/tenants', {
    name: 'Acme',
    slug: 'acme',
    admin: { name: 'Ada', email: 'ada@acme.example', password: 'a long enough first password' },
  });
  return { running, writing, stopped, volume, floatingIp };
}
