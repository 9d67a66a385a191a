import { randomUUID } from 'node:crypto';
import { now } from '@/lib/clock';
import { newId } from '@/lib/core/db/id';
import { prisma } from '@/lib/core/db/prisma';
import { merged } from '@/lib/core/domains/portal';
import { domainTesting } from './domains';
import { admin, created, type Fixture, member } from './fixture';

const createdToken: Fixture = (project, call) =>
  created(
    call('POST', '/auth/tokens', { token: project.users.admin.token, body: { name: 'fixture', role: 'reader' } }),
  );

/**
 * Creates the resource of a path with parameters, by the beginning of the path. Every endpoint with parameters needs
 * one: the generated suite calls it as another tenant and expects 404.
 */
export const fixtures: Readonly<Record<string, Fixture>> = {
  ...merged(Object.values(domainTesting).map(({ fixtures }) => fixtures)),
  // Metrics and labels belong to no project: a name that none can have stands for another tenant's.
  '/observability/prometheus/api/v1/label/{name}/values': async () => ({ name: newId() }),
  '/observability/timeseries/{metric_type}': async () => ({ metric_type: newId() }),
  '/audit/{id}': async (project) => {
    const entry = { id: newId(), project_id: project.id, at: now(), actor_type: 'user', actor_name: 'x' };
    await prisma().auditEntry.create({ data: { ...entry, action: 'test.entry', result: 'succeeded', status: 200 } });
    return { id: entry.id };
  },
  '/inventory/tags/{type}/{id}': async (project, call) => {
    const { id = '' } = await created(
      member(project, call, '/vault/secrets', { name: newId(), type: 'opaque', payload: 'x' }),
    );
    return { type: 'secret', id };
  },
  '/auth/sessions/{id}': async (project) => {
    const { id } = await prisma().session.findFirstOrThrow({ where: { user_id: project.users.admin.id } });
    return { id };
  },
  '/notifications/{id}': async (project) => {
    const id = randomUUID();
    const about = {
      user_id: project.users.admin.id,
      project_id: project.id,
      resource_type: 'project',
      resource_id: project.id,
    };
    await prisma().notification.create({
      data: { id, ...about, kind: 'invitation', source: `test:${id}`, facts: { invited_by: null }, created_at: now() },
    });
    return { id };
  },
  '/auth/invitations/{project_id}': async (project) => ({ project_id: project.id }),
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
  '/workspace/sso/clients/{id}': (project, call) =>
    created(
      call('POST', '/workspace/sso/clients', {
        token: project.users.admin.token,
        body: { name: 'fixture', redirect_uris: ['https://app.example.test/callback'] },
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
};
