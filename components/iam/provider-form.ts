import type { Control } from 'react-hook-form';
import * as z from 'zod/mini';
import { issuers } from './issuers';

const required = (message: string) => z.string().check(z.trim(), z.minLength(1, message));

const pattern = required('Enter a value or pattern.').check(
  z.refine((text) => !issuers.some((issuer) => issuer.pattern === text), 'Replace the placeholders in capitals.'),
);

/** What is asked of whoever trusts an issuer. */
export const providerSchema = z.object({
  kind: z.string(),
  name: required('Enter a name.').check(z.maxLength(100, 'Up to 100 characters.')),
  issuer: required('Enter the issuer URL.'),
  audience: required('Enter an audience.'),
  conditions: z.array(z.object({ claim: required('Enter a claim.'), pattern })),
  max_role: z.enum(['reader', 'member', 'admin']),
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

/** The lines of conditions as the API takes them: `{ sub: ['one', 'or another'] }`. */
export function conditionsOf(lines: Values['conditions']): Record<string, string[]> {
  const conditions = new Map<string, string[]>();
  for (const { claim, pattern } of lines) conditions.set(claim, [...(conditions.get(claim) ?? []), pattern]);
  return Object.fromEntries(conditions);
}
