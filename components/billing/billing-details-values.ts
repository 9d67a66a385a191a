import * as z from 'zod/mini';
import { text } from '@/lib/client/constraints';
import { setBillingDetails } from '@/lib/client/operations/billing';
import type { components } from '@/lib/client/schema';

export type BillingDetails = components['schemas']['BillingDetails'];
export type SetBillingDetails = components['schemas']['SetBillingDetails'];

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const { fields } = setBillingDetails;
const mostLines = fields.address_lines.maxItems;

/** An empty field is sent as none. */
const optional = <Rule extends object>(rule: Rule) => ({ ...rule, minLength: 0 });

export const billingDetailsSchema = z.object({
  name: text(fields.name, 'Enter the name of a company or person.'),
  address_lines: z.string().check(
    z.refine((typed) => linesOf(typed).length > 0, 'Enter an address.'),
    z.refine((typed) => linesOf(typed).length <= mostLines, `Up to ${mostLines} lines.`),
    z.refine((typed) => linesOf(typed).every((line) => line.length <= 100), 'Up to 100 characters in each line.'),
  ),
  city: text(fields.city, 'Enter a city.'),
  postal_code: text(optional(fields.postal_code)),
  region: text(optional(fields.region)),
  country: z.string().check(z.minLength(1, 'Choose a country.')),
  tax_id: text(optional(fields.tax_id)),
  email: z.string().check(
    z.trim(),
    z.refine((typed) => typed === '' || z.email().safeParse(typed).success, 'Enter an e-mail address.'),
  ),
});
export type BillingDetailsInputs = z.infer<typeof billingDetailsSchema>;

/** Billing details, for the form. */
export function inputsOf(details: BillingDetails): BillingDetailsInputs {
  return {
    name: details.name ?? '',
    address_lines: details.address_lines.join('\n'),
    city: details.city ?? '',
    postal_code: details.postal_code ?? '',
    region: details.region ?? '',
    country: details.country ?? '',
    tax_id: details.tax_id ?? '',
    email: details.email ?? '',
  };
}

/** The form's values, as the API takes them. */
export function billingDetailsOf(inputs: BillingDetailsInputs): SetBillingDetails {
  const orNone = (text: string) => (text === '' ? null : text);
  return {
    name: inputs.name,
    address_lines: linesOf(inputs.address_lines),
    city: inputs.city,
    postal_code: orNone(inputs.postal_code),
    region: orNone(inputs.region),
    country: inputs.country,
    tax_id: orNone(inputs.tax_id),
    email: orNone(inputs.email),
  };
}
