import type { Control } from 'react-hook-form';
import * as z from 'zod/mini';
import { text } from '@/lib/client/constraints';
import { createIdentityProvider } from '@/lib/client/operations/iam';
import { issuers } from './issuers';

const required = (message: string) => z.string().check(z.trim(), z.minLength(1, message));

const pattern = required('Enter a value or pattern.').check(
  z.refine((typed) => !issuers.some((issuer) => issuer.pattern === typed), 'Replace the placeholders in capitals.'),
);

/** What is asked of whoever trusts an issuer. */
export const providerSchema = z.object({
  kind: z.string(),
  name: text(createIdentityProvider.fields.name, 'Enter a name.'),
  issuer: required('Enter the issuer URL.'),
  audience: text(createIdentityProvider.fields.audience, 'Enter an audience.'),
  conditions: z.array(z.object({ claim: required('Enter a claim.'), pattern })),
  max_role: z.enum(createIdentityProvider.fields.max_role.enum),
  jwks_uri: z.string().check(z.trim()),
});

type Input = z.input<typeof providerSchema>;
type Values = z.output<typeof providerSchema>;
export type ProviderControl = Control<Input, unknown, Values>;

const [first] = issuers;

export const emptyProvider: Input = {
  kind: first?.value ?? '',
  name: '',
  issuer: first?.issuer ?? '',
  audience: '',
  conditions: [{ claim: first?.claim ?? '', pattern: first?.pattern ?? '' }],
  max_role: 'reader',
  jwks_uri: '',
};

/** The form as the API takes it. */
export function providerOf({ kind: _, conditions, jwks_uri, ...values }: Values) {
  return { ...values, conditions: conditionsOf(conditions), ...(jwks_uri === '' ? {} : { jwks_uri }) };
}

/** The lines of conditions as the API takes them: `{ sub: ['one', 'or another'] }`. */
function conditionsOf(lines: Values['conditions']): Record<string, string[]> {
  const conditions = new Map<string, string[]>();
  for (const { claim, pattern } of lines) conditions.set(claim, [...(conditions.get(claim) ?? []), pattern]);
  return Object.fromEntries(conditions);
}
