import type { AdministratorCall } from '@/lib/api/endpoint';
import type { Sql } from '@/lib/db/sql';

/**
 * What a domain does when a tenant is suspended or resumed, besides refusing its requests: statements by name, part of
 * the one that changes the tenant, each hanging on `ifAdmitted`; usually rows of operations that stop what runs.
 */
export type SuspensionEffect = (
  call: AdministratorCall,
  tenantId: string,
  becomes: 'suspended' | 'active',
) => Record<string, Sql>;

const effects: readonly SuspensionEffect[] = [];

/** What all domains do. */
export const suspensionRows: SuspensionEffect = (call, tenantId, becomes) =>
  Object.fromEntries(effects.flatMap((effect) => Object.entries(effect(call, tenantId, becomes))));
