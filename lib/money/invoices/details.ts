import type { ProjectCall } from '@/lib/core/api/endpoint';
import { queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { commit } from '@/lib/core/quota/commit';
import type { BillingDetails, Customer, SetBillingDetails } from './details-schema';

/** Billing details as stored in an invoice. */
export type StoredDetails = Customer;
/** The customer as stored in an invoice; invoices from before billing details existed have none. */
export type StoredCustomer = { id: string; name: string; slug: string; details?: StoredDetails };

const columns = raw('name, address_lines, city, postal_code, region, country, tax_id, email');
const none = {
  address_lines: [],
  city: null,
  postal_code: null,
  region: null,
  country: null,
  tax_id: null,
  email: null,
};

/** The billing details of the project `p` as jsonb under the name `details`; empty if there are none. */
export const frozenDetails = sql`coalesce((SELECT jsonb_build_object('details', to_jsonb(d)) FROM (
  SELECT ${columns} FROM billing_details WHERE project_id = p.id) AS d), '{}')`;

/** The addressee of an invoice: its own copy, independent of the project's current details. */
export function customerView({ name, details }: StoredCustomer): Customer {
  return details ?? { name, ...none };
}

/** The addressee of the project's invoices. */
export async function readBillingDetails({ project_id }: ProjectCall): Promise<BillingDetails> {
  const row = await queryOne<Customer & { updated_at: Date }>(
    sql`SELECT ${columns}, updated_at FROM billing_details WHERE project_id = ${project_id}::uuid`,
  );
  return row ? { ...row, updated_at: row.updated_at.toISOString() } : { name: null, ...none, updated_at: null };
}

/** Replaces the details, for invoices closed from now on. */
export async function setBillingDetails(call: ProjectCall, input: SetBillingDetails): Promise<BillingDetails> {
  const { project_id, at } = call;
  const row = { project_id, ...input, created_at: at, updated_at: at };
  await commit(call, {
    resource: { type: 'billing_details', id: project_id },
    rows: {
      details: sql`INSERT INTO billing_details SELECT row.* FROM verdict
          CROSS JOIN jsonb_populate_record(NULL::billing_details, ${JSON.stringify(row)}::jsonb) AS row WHERE verdict.ok
        ON CONFLICT (project_id) DO UPDATE SET name = excluded.name, address_lines = excluded.address_lines, city = excluded.city,
          postal_code = excluded.postal_code, region = excluded.region, country = excluded.country, tax_id = excluded.tax_id,
          email = excluded.email, updated_at = excluded.updated_at`,
    },
  });
  return { ...input, updated_at: at.toISOString() };
}
