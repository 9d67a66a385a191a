import { now } from '@/lib/clock';
import { newId } from '@/lib/core/db/id';
import { prisma } from '@/lib/core/db/prisma';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { createCell, NANO, TINY_IMAGE } from './hosts';
import type { TestProject } from './world';

/** Path parameters that name something that exists in a project. */
export type Fixture = (project: TestProject, call: Call) => Promise<Record<string, string>>;
type Call = (
  method: string,
  path: string,
  options: { token?: string; body?: unknown },
) => Promise<{ status: number; body: unknown }>;

async function created(answer: Promise<{ status: number; body: unknown }>): Promise<Record<string, string>> {
  const { status, body } = await answer;
  if (status !== 201 || typeof body !== 'object' || body === null || !('id' in body) || typeof body.id !== 'string') {
    throw new Error(`a fixture was not created: ${status} ${JSON.stringify(body)}`);
  }
  return { id: body.id };
}

/** Makes something as the project's member would. */
function member(project: TestProject, call: Call, path: string, body: unknown) {
  return call('POST', path, { token: project.users.member.token, body });
}

/** Makes something as the project's admin would. */
function admin(project: TestProject, call: Call, path: string, body: unknown) {
  return call('POST', path, { token: project.users.admin.token, body });
}

const createdToken: Fixture = (project, call) =>
  created(
    call('POST', '/auth/tokens', { token: project.users.admin.token, body: { name: 'fixture', role: 'reader' } }),
  );

/** An instance on the project's default network, which no worker boots. */
async function instance(project: TestProject, call: Call): Promise<Record<string, string>> {
  await createCell();
  await ensureProjectNetworking(project.id);
  const network = await prisma().network.findFirstOrThrow({ where: { project_id: project.id } });
  const body = { name: 'fixture', flavor_id: NANO, image_id: TINY_IMAGE, network_id: network.id };
  return created(member(project, call, '/compute/instances', body));
}

async function volume(project: TestProject, call: Call): Promise<Record<string, string>> {
  await createCell();
  return created(member(project, call, '/storage/volumes', { name: 'fixture', size_gb: 1 }));
}

/**
 * How to make what a path with parameters addresses, by the beginning of the path. Every endpoint with parameters needs
 * one: the generated suite calls it as another tenant and expects 404.
 */
export const fixtures: Record<string, Fixture> = {
  '/audit/{id}': async (project) => {
    const entry = { id: newId(), project_id: project.id, at: now(), actor_type: 'user', actor_name: 'x' };
    await prisma().auditEntry.create({ data: { ...entry, action: 'test.entry', result: 'succeeded', status: 200 } });
    return { id: entry.id };
  },
  '/auth/sessions/{id}': async (project) => {
    const { id } = await prisma().session.findFirstOrThrow({ where: { user_id: project.users.admin.id } });
    return { id };
  },
  '/auth/invitations/{project_id}': async (project) => ({ project_id: project.id }),
  '/compute/instances/{id}': instance,
  '/compute/keypairs/{id}': (project, call) => created(member(project, call, '/compute/keypairs', { name: 'fixture' })),
  '/network/networks/{id}': async (project, call) =>
    created(member(project, call, '/network/networks', { name: 'fixture', cidr: '10.99.0.0/24' })),
  '/network/routers/{id}': async (project) => {
    await ensureProjectNetworking(project.id);
    const { id } = await prisma().router.findFirstOrThrow({ where: { project_id: project.id } });
    return { id };
  },
  '/network/ports/{id}': async (project, call) => {
    const { id: instance_id = '' } = await instance(project, call);
    const { id } = await prisma().port.findFirstOrThrow({ where: { device_id: instance_id } });
    return { id };
  },
  '/network/security-groups/rules/{rule_id}': async (project, call) => {
    const group = await created(member(project, call, '/network/security-groups', { name: 'fixture' }));
    const rule = { direction: 'ingress', protocol: 'icmp', cidr: '0.0.0.0/0' };
    const { id } = await created(member(project, call, `/network/security-groups/${group.id}/rules`, rule));
    return { rule_id: id ?? '' };
  },
  '/network/security-groups/{id}': (project, call) =>
    created(member(project, call, '/network/security-groups', { name: 'fixture' })),
  '/network/floating-ips/{id}': async (project, call) => {
    await createCell();
    return created(member(project, call, '/network/floating-ips', {}));
  },
  '/images/images/{id}': async (project) => {
    const image = { id: newId(), name: 'fixture', format: 'RAW', status: 'active', source: {}, min_disk_gb: 1 };
    const times = { created_at: now(), updated_at: now() };
    await prisma().image.create({ data: { ...image, ...times, project_id: project.id, owner_id: project.id } });
    return { id: image.id };
  },
  '/storage/volumes/{id}': volume,
  '/storage/snapshots/{id}': async (project, call) => {
    const { id: volume_id } = await volume(project, call);
    await prisma().volume.update({ where: { id: volume_id ?? '' }, data: { status: 'available' } });
    return created(member(project, call, '/storage/snapshots', { name: 'fixture', volume_id }));
  },
  '/auth/tokens/{id}': createdToken,
  '/identity/tokens/{id}': createdToken,
  '/iam/providers/{id}': (project, call) =>
    created(
      call('POST', '/iam/providers', {
        token: project.users.admin.token,
        body: {
          name: 'fixture',
          issuer: 'https://issuer.example.test',
          audience: 'cloud',
          conditions: { sub: ['*'] },
          max_role: 'reader',
        },
      }),
    ),
  '/billing/invoices/{id}': async (project) => {
    const id = newId();
    const amounts = { subtotal_usd: '1.00', credit_usd: '0.00', due_usd: '1.00' };
    const parties = { seller: { name: 'x', address: [] }, customer: { id: project.id, name: 'x', slug: 'x' } };
    const { _max: last } = await prisma().invoice.aggregate({ _max: { number: true } });
    const [number, month] = [(last.number ?? 0) + 1, new Date('2026-01-01')];
    await prisma().invoice.create({
      data: { id, number, month, project_id: project.id, ...amounts, ...parties, issued_at: now() },
    });
    const payment = { invoice_id: id, project_id: project.id, status: 'open', due_usd: '1.00', updated_at: now() };
    await prisma().invoicePayment.create({ data: payment });
    return { id };
  },
  '/billing/payment-methods/{id}': (project, call) =>
    created(admin(project, call, '/billing/payment-methods', { payment_method: 'pm_card_visa' })),
  '/billing/checkout-sessions/{id}': (project, call) =>
    created(admin(project, call, '/billing/checkout-session', { amount_usd: 5 })),
  '/billing/sandbox/pages/{id}': (project, call) =>
    created(admin(project, call, '/billing/checkout-session', { amount_usd: 5 })),
  '/vault/secrets/{id}': (project, call) =>
    created(
      call('POST', '/vault/secrets', {
        token: project.users.member.token,
        body: { name: 'fixture', type: 'opaque', payload: 'x' },
      }),
    ),
};
