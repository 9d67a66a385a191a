import type { QueryClient } from '@tanstack/react-query';
import { merged } from '@/lib/core/domains/portal';
import { domainPortals } from './domains';

/**
 * Query keys to invalidate, as path prefixes by the type of the changed resource. A key consists of the method (or
 * `list`), the path and the parameters. An unlisted type invalidates everything: refetching too much is better than a
 * wrong page.
 */
const pathsOf: Record<string, readonly string[]> = {
  ...merged(domainPortals.map(({ topics }) => topics)),
  administrator: ['/admin/api/v1/administrators', '/admin/api/v1/users', '/admin/api/v1/auth/me'],
  alert_delivery: ['/api/v1/billing/alerts', '/api/v1/billing/budget'],
  alert_secret: ['/api/v1/billing/alerts'],
  layer_version: ['/api/v1/layers'],
  api_token: ['/api/v1/auth/tokens', '/api/v1/identity/tokens'],
  billing_details: ['/api/v1/billing/details'],
  budget: ['/api/v1/billing/budget', '/admin/api/v1/billing'],
  checkout_session: ['/api/v1/billing', '/admin/api/v1/billing'],
  credit: ['/api/v1/billing', '/admin/api/v1/billing'],
  engine: ['/admin/api/v1/engines'],
  identity_provider: ['/api/v1/iam/providers'],
  incident: ['/admin/api/v1/incidents'],
  invoice: ['/api/v1/billing', '/admin/api/v1/billing'],
  month: ['/admin/api/v1/billing'],
  program: ['/admin/api/v1/programs'],
  notification: ['/api/v1/notifications', '/admin/api/v1/notifications'],
  operation: ['/api/v1/operations', '/admin/api/v1/operations', '/admin/api/v1/incidents'],
  payment_method: ['/api/v1/billing/payment-methods'],
  quota: ['/api/v1/tenant/quota', '/admin/api/v1/tenants'],
  rate: ['/admin/api/v1/billing/rates', '/api/v1/billing'],
  second_factor: ['/api/v1/auth/me', '/admin/api/v1/auth/me', '/admin/api/v1/users', '/admin/api/v1/administrators'],
  session: ['/api/v1/auth/sessions', '/admin/api/v1/auth/sessions'],
  sso_client: ['/api/v1/workspace/sso/clients'],
  tenant: ['/admin/api/v1/tenants', '/admin/api/v1/users'],
  user: [
    '/api/v1/identity/users',
    '/api/v1/auth/invitations',
    '/api/v1/auth/me',
    '/admin/api/v1/users',
    '/admin/api/v1/administrators',
    '/admin/api/v1/tenants',
  ],
};

/** Every change is audited, and may affect quota and costs. */
const touchedByAll = [
  '/api/v1/activity',
  '/api/v1/audit',
  '/api/v1/billing/budget',
  '/api/v1/billing/overview',
  '/api/v1/billing/running',
  '/api/v1/inventory',
  '/api/v1/services',
  '/api/v1/tenant/quota',
  '/admin/api/v1/audit',
  '/admin/api/v1/overview',
  '/admin/api/v1/tenants',
];

/** Invalidates everything that changes of these types affect; open pages refetch at once. */
export async function invalidateTopics(client: QueryClient, topics: ReadonlySet<string>): Promise<void> {
  const known = [...topics].map((topic) => pathsOf[topic]);
  const everything = known.includes(undefined);
  const touched = [...touchedByAll, ...known.flatMap((paths) => paths ?? [])];
  await client.invalidateQueries({
    predicate: ({ queryKey: [, path] }) =>
      everything || (typeof path === 'string' && touched.some((prefix) => path.startsWith(prefix))),
  });
}
