import { z } from 'zod';
import { sortedQuery } from '@/lib/core/api/pagination';
import { displayName, email, id, newPassword, slug, times, timestamp } from '@/lib/core/api/schemas';
import { shownAcceptance } from '@/lib/people/identity/auth-schema';

const share = z.strictObject({ limit: z.number(), used: z.number() });

const tenantStatus = z.enum(['active', 'suspended']);

/** A tenant as the back office sees it. Its id is `project_id` everywhere else. */
export const tenant = z
  .strictObject({
    id,
    name: displayName,
    slug,
    status: tenantStatus,
    suspended_at: timestamp.nullable(),
    suspension_reason: z.string().nullable(),
    members: z.int().meta({ description: 'Number of members, including invited ones.' }),
    quota: z
      .strictObject({
        vcpus: share,
        ram_gb: share,
        storage_tb: share,
        instances: share,
        volumes: share,
        databases: share,
        serverless_functions: share,
        airflow_dags: share,
        api_gateways: share,
      })
      .meta({ description: 'Limit and current use of each dimension.' }),
    ...times,
  })
  .meta({ id: 'Tenant' });
export type Tenant = z.output<typeof tenant>;

export const createdTenant = tenant.extend(shownAcceptance).meta({
  id: 'CreatedTenant',
  description: 'The code is for a first admin who already has an account; the response is the same if they do not.',
});
export type CreatedTenant = z.output<typeof createdTenant>;

const admin = z.strictObject({ email, name: displayName, password: newPassword });
const exampleAdmin = { email: 'ada@acme.example', name: 'Ada Lovelace', password: 'correct horse battery staple' };

export const createTenant = z
  .strictObject({
    name: displayName,
    slug,
    admin: admin.meta({
      description:
        'The first admin. An existing user keeps their password, is invited instead and joins with the `acceptance_code`; `password` is then ignored.',
    }),
  })
  .meta({
    id: 'CreateTenant',
    example: {
      name: 'Acme Corporation',
      slug: 'acme',
      admin: exampleAdmin,
    },
  });
export type CreateTenant = z.output<typeof createTenant>;

export const newAdmin = admin.meta({ id: 'NewTenantAdmin', example: exampleAdmin });
export type NewAdmin = z.output<typeof newAdmin>;

export const addedAdmin = z
  .strictObject({
    user_id: id,
    email,
    status: z.enum(['active', 'invited']).meta({ description: 'Whether the user must first accept an invitation.' }),
    account: z.enum(['created', 'existing']).meta({ description: 'An existing account keeps its name and password.' }),
    ...shownAcceptance,
  })
  .meta({ id: 'AddedTenantAdmin' });
export type AddedAdmin = z.output<typeof addedAdmin>;

export const updateTenant = z
  .strictObject({ name: displayName })
  .meta({ id: 'UpdateTenant', example: { name: 'Acme Limited' } });

export const suspendTenant = z
  .strictObject({
    reason: z.string().trim().min(1).max(1000).meta({ description: 'For the audit log and for other administrators.' }),
  })
  .meta({ id: 'SuspendTenant', example: { reason: 'Invoice 2026-03 is unpaid.' } });

export const resumeTenant = z.strictObject({}).meta({ example: {} });

export const tenantQuery = sortedQuery(
  {
    search: z.string().min(1).max(100).optional().meta({ description: 'Matches any part of the name, slug or id.' }),
    status: tenantStatus.optional(),
    slug: z.string().max(63).optional().meta({ description: 'Exact slug.' }),
  },
  ['name', 'slug'],
);

/** The path parameter of `/…/{tenant_id}`; a malformed id cannot exist: 404. */
export const tenantParams = z.strictObject({ tenant_id: id });
