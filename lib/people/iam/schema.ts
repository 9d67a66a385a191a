import { z } from 'zod';
import { roles } from '@/lib/core/api/caller';
import { sortedQuery } from '@/lib/core/api/pagination';
import { displayName, id, reference, times, timestamp } from '@/lib/core/api/schemas';

export const simulate = z
  .strictObject({
    identity: z
      .strictObject({
        user_id: reference.optional().meta({ description: 'A user of the project.' }),
        token_id: reference.optional().meta({ description: 'An API token of the project.' }),
      })
      .refine((given) => (given.user_id === undefined) !== (given.token_id === undefined), {
        error: 'give either user_id or token_id',
      })
      .meta({ description: 'Either a user or a token.' }),
    method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
    path: z.string().max(2048).startsWith('/').meta({
      description: 'With or without `/api/v1`; with parameters filled in, or in braces as in the reference.',
    }),
  })
  .meta({
    id: 'SimulateRequest',
    example: {
      identity: { user_id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f' },
      method: 'POST',
      path: '/api/v1/vault/secrets',
    },
  });
export type Simulate = z.output<typeof simulate>;

export const simulation = z
  .strictObject({
    allowed: z.boolean(),
    reason: z.string(),
    matched: z.array(z.string()).meta({
      description: 'The basis of the decision: the endpoint, the access it requires, and the facts about the identity.',
    }),
  })
  .meta({ id: 'Simulation' });
export type Simulation = z.output<typeof simulation>;

const MOST_CLAIMS = 20;

const conditions = z
  .record(z.string().min(1).max(128), z.array(z.string().min(1).max(512)).min(1).max(50))
  .refine((given) => Object.keys(given).length > 0, { error: 'must name at least one claim, such as `sub`' })
  .refine((given) => Object.keys(given).length <= MOST_CLAIMS, { error: `must name at most ${MOST_CLAIMS} claims` })
  .meta({
    id: 'ClaimConditions',
    description:
      'Each claim named here must be in the token and match one of its patterns; `*` matches any text. At least one is ' +
      'required: without a condition on the workload’s identity, any token from the issuer would be accepted.',
    example: { sub: ['repo:acme/site:*'] },
  });
export type Conditions = z.output<typeof conditions>;

const outgoingUrl = z.string().max(500);

export const identityProvider = z
  .strictObject({
    id,
    name: displayName,
    issuer: z.string(),
    audience: z.string(),
    jwks_uri: z.string().nullable(),
    conditions,
    max_role: z.enum(roles),
    ...times,
  })
  .meta({ id: 'IdentityProvider', description: 'An issuer whose workload identity tokens the project accepts.' });
export type IdentityProvider = z.output<typeof identityProvider>;

export const createProvider = z
  .strictObject({
    name: displayName,
    issuer: outgoingUrl.meta({ description: 'The exact `iss` of its tokens: an https URL.' }),
    audience: z.string().min(1).max(500).meta({ description: 'The `aud` of tokens for this platform.' }),
    jwks_uri: outgoingUrl.optional().meta({ description: 'Defaults to the URL found by OpenID Connect discovery.' }),
    conditions,
    max_role: z.enum(roles).meta({ description: 'The highest role that workloads may assume.' }),
  })
  .meta({
    id: 'CreateIdentityProvider',
    example: {
      name: 'github',
      issuer: 'https://token.actions.githubusercontent.com',
      audience: 'https://cloud.example.org',
      conditions: { sub: ['repo:acme/site:ref:refs/heads/main'] },
      max_role: 'member',
    },
  });
export type CreateProvider = z.output<typeof createProvider>;

export const providerQuery = sortedQuery(
  {
    name: z.string().max(100).optional().meta({ description: 'Exact name.' }),
    issuer: z.string().max(500).optional().meta({ description: 'Exact issuer.' }),
    search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
  },
  ['name'],
);

export const assumeRole = z
  .strictObject({
    project_id: reference.meta({ description: 'The project to act in.' }),
    web_identity_token: z
      .string()
      .min(1)
      .max(16_384)
      .meta({ description: 'The JWT that the issuer issued to the workload.', format: 'password' }),
    role: z.enum(roles),
    duration_s: z.int().min(900).max(43_200).default(3600).meta({ description: '15 minutes to 12 hours.' }),
  })
  .meta({
    id: 'AssumeRole',
    example: {
      project_id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f',
      web_identity_token: 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJyZXBvOmFjbWUvc2l0ZSJ9.c2ln',
      role: 'member',
    },
  });
export type AssumeRole = z.output<typeof assumeRole>;

export const credentials = z
  .strictObject({
    access_token: z.string().meta({ description: 'Send it as `Authorization: Bearer <access_token>`.' }),
    token_type: z.literal('Bearer'),
    expires_at: timestamp,
  })
  .meta({ id: 'Credentials' });
export type Credentials = z.output<typeof credentials>;
