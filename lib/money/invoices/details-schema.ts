import { z } from 'zod';
import { email, timestamp } from '@/lib/core/api/schemas';
import { countries } from '@/lib/format/countries';

const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}]*$/u, 'must not hold control characters');

const country = z
  .string()
  .refine((code) => countries.includes(code), 'must be an ISO 3166-1 country code such as DE or US')
  .meta({ description: 'ISO 3166-1 alpha-2, uppercase.', example: 'DE' });

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

const fields = {
  name: line(200).meta({ description: 'The company or person to bill.' }),
  address_lines: z.array(line(100)).min(1).max(4).meta({ description: 'Street, building or PO box, one line each.' }),
  city: line(100),
  postal_code: line(20),
  region: line(100).meta({ description: 'State, province or county.' }),
  country,
  tax_id: line(50).meta({ description: 'VAT number, GST number or similar. Printed but not validated.' }),
  email: email.meta({ description: 'Contact for payments, printed on invoices.' }),
};

export const setBillingDetails = z
  .strictObject({
    name: fields.name,
    address_lines: fields.address_lines,
    city: fields.city,
    postal_code: optional(fields.postal_code),
    region: optional(fields.region),
    country: fields.country,
    tax_id: optional(fields.tax_id),
    email: optional(fields.email),
  })
  .meta({
    id: 'SetBillingDetails',
    example: {
      name: 'Acme GmbH',
      address_lines: ['Hauptstraße 1'],
      city: 'Berlin',
      postal_code: '10115',
      region: null,
      country: 'DE',
      tax_id: 'DE123456789',
      email: 'invoices@acme.example',
    },
  });
export type SetBillingDetails = z.output<typeof setBillingDetails>;

/** The known customer data: only a name if no billing details were set. */
const known = {
  address_lines: z.array(z.string()),
  city: z.string().nullable(),
  postal_code: z.string().nullable(),
  region: z.string().nullable(),
  country: z.string().nullable().meta({ description: 'ISO 3166-1 alpha-2.', example: 'DE' }),
  tax_id: z.string().nullable(),
  email: z.string().nullable(),
};

export const billingDetails = z
  .strictObject({
    name: z.string().nullable().meta({ description: 'null: no billing details are set; invoices name the project.' }),
    ...known,
    updated_at: timestamp.nullable().meta({ description: 'null: never set.' }),
  })
  .meta({ id: 'BillingDetails' });
export type BillingDetails = z.output<typeof billingDetails>;

export const customer = z.strictObject({ name: z.string(), ...known }).meta({
  id: 'InvoiceCustomer',
  description: 'The billing details at the time the invoice was closed. Without billing details, the project’s name.',
});
export type Customer = z.output<typeof customer>;
