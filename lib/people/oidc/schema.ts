import { z } from 'zod';
import { sortedQuery } from '@/lib/core/api/pagination';
import { displayName, id, times } from '@/lib/core/api/schemas';

const MOST_URIS = 20;

/** Where a client takes its secret to the token endpoint. */
export const authMethods = ['client_secret_basic', 'client_secret_post'] as const;

const redirectUri = z.string().min(1).max(500);

export const ssoClient = z
  .strictObject({
    id: id.meta({ description: 'The `client_id` of the application.' }),
    name: displayName,
    redirect_uris: z.array(z.string()),
    post_logout_redirect_uris: z.array(z.string()),
    token_endpoint_auth_method: z.enum(authMethods),
    ...times,
  })
  .meta({ id: 'SsoClient', description: 'An application that members of the project sign in to.' });
export type SsoClient = z.output<typeof ssoClient>;

export const newSsoClient = ssoClient
  .extend({ client_secret: z.string().meta({ description: 'Shown only once.' }) })
  .meta({ id: 'NewSsoClient' });
export type NewSsoClient = z.output<typeof newSsoClient>;

export const createSsoClient = z
  .strictObject({
    name: displayName,
    redirect_uris: z.array(redirectUri).min(1).max(MOST_URIS).meta({
      description: 'Where users return to after sign-in: https URLs, compared exactly.',
    }),
    post_logout_redirect_uris: z.array(redirectUri).max(MOST_URIS).default([]).meta({
      description: 'Where users may return to after sign-out.',
    }),
    token_endpoint_auth_method: z.enum(authMethods).default('client_secret_basic').meta({
      description: 'Whether the client sends its secret in the Authorization header or in the body.',
    }),
  })
  .meta({
    id: 'CreateSsoClient',
    example: { name: 'Grafana', redirect_uris: ['https://grafana.example.com/login/generic_oauth'] },
  });
export type CreateSsoClient = z.output<typeof createSsoClient>;

export const ssoClientQuery = sortedQuery(
  {
    name: z.string().max(100).optional().meta({ description: 'Exact name.' }),
    search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
  },
  ['name'],
);

export const rotateSsoSecret = z.strictObject({}).meta({ id: 'RotateSsoClientSecret', example: {} });

export const workspaceInfo = z
  .strictObject({
    url: z.string().meta({ description: 'The project in the portal.' }),
    name: z.string().meta({ description: 'The name of the project.' }),
    sso: z.strictObject({
      issuer: z.string(),
      authorization_endpoint: z.string(),
      token_endpoint: z.string(),
      userinfo_endpoint: z.string(),
      jwks_uri: z.string(),
      discovery_url: z.string(),
    }),
    data_sources: z
      .array(z.strictObject({ type: z.enum(['loki', 'prometheus']), name: z.string(), url: z.string() }))
      .meta({ description: 'What Grafana reads with an API token as bearer token.' }),
  })
  .meta({ id: 'WorkspaceInfo' });
export type WorkspaceInfo = z.output<typeof workspaceInfo>;
