import * as z from 'zod/mini';
import type { components } from '@/lib/client/schema';

export type BillingDetails = components['schemas']['BillingDetails'];
export type SetBillingDetails = components['schemas']['SetBillingDetails'];

const MOST_LINES = 4;

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const upTo = (most: number) => z.string().check(z.trim(), z.maxLength(most, `Up to ${most} characters.`));
const needed = (most: number, message: string) =>
  z.string().check(z.trim(), z.minLength(1, message), z.maxLength(most, `Up to ${most} characters.`));

export const billingDetailsSchema = z.object({
  name: needed(200, 'Enter the name of a company or person.'),
  address_lines: z.string().check(
    z.refine((text) => linesOf(text).length > 0, 'Enter an address.'),
    z.refine((text) => linesOf(text).length <= MOST_LINES, `Up to ${MOST_LINES} lines.`),
    z.refine((text) => linesOf(text).every((line) => line.length <= 100), 'Up to 100 characters in each line.'),
  ),
  city: needed(100, 'Enter a city.'),
  postal_code: upTo(20),
  region: upTo(100),
  country: z.string().check(z.minLength(1, 'Choose a country.')),
  tax_id: upTo(50),
  email: z.string().check(
    z.trim(),
    z.refine((text) => text === '' || z.email().safeParse(text).success, 'Enter an e-mail address.'),
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
