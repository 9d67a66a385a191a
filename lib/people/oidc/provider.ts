import { timingSafeEqual } from 'node:crypto';
import type { JWK } from 'jose';
import type { ClientMetadata, Configuration } from 'oidc-provider';
import { databaseCache } from '@/lib/core/db/pool';
import { log } from '@/lib/log';
import { credentialHash } from '@/lib/people/identity/authenticate';
import { signOut } from '@/lib/people/identity/sessions';
import { settings } from '@/lib/settings';
import { recordsOf } from './adapter';
import { findClient, type RegisteredClient } from './clients';
import { OIDC_PATH, routes, ssoIssuer } from './issuer';
import { ssoKeys } from './keys';
import { errors, interactionPolicy, Provider } from './library';
import { claimsOfScope, findMember, type SsoMember } from './members';
import { errorPage, signedOutPage, signOutPage } from './plain-pages';
import { authMethods } from './schema';
import { recordOutsider } from './trail';
import { presentVisit } from './visit';

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** How often this process looks for a rotated key. */
const KEYS_FRESH_MS = 30_000;

const cache = databaseCache((): { held?: { provider: Provider; kids: string; checkedAt: number } } => ({}));

/** The OpenID provider with the present keys. */
export async function ssoProvider(): Promise<Provider> {
  const { held } = cache();
  if (held && Date.now() - held.checkedAt < KEYS_FRESH_MS) return held.provider;
  const keys = await ssoKeys();
  const kids = keys.map(({ kid }) => kid).join(' ');
  const provider = held?.kids === kids ? held.provider : createProvider(keys);
  cache().held = { provider, kids, checkedAt: Date.now() };
  return provider;
}

/** Makes this process look for rotated keys with its next request. */
export function forgetProvider(): void {
  delete cache().held;
}

function createProvider(keys: JWK[]): Provider {
  const provider = new Provider(ssoIssuer(), configuration(keys));
  // The server says in which scheme and at which host it is reached.
  provider.proxy = true;
  // What a client sends is compared with the hash that is stored.
  provider.Client.prototype.compareClientSecret = function compare(this: { clientSecret?: string }, actual: string) {
    const stored = Buffer.from(this.clientSecret ?? '', 'base64url');
    const given = credentialHash(actual);
    return stored.length === given.length && timingSafeEqual(stored, given);
  };
  provider.on('server_error', (_context, error) => log.error({ err: error }, 'single sign-on failed'));
  provider.use(async (context, next) => {
    const { person, origin } = presentVisit();
    await next();
    // Who signs out of everything leaves the portal too; its session ends in the database, the cookie with it.
    const { oidc } = context;
    // Only a confirmed sign-out is answered with a redirect; a forged one with 400.
    const left = oidc?.route === 'end_session_confirm' && oidc.params?.logout && context.status === 303;
    if (left && person && oidc.session?.accountId === person.user_id) await signOut(origin, person);
  });
  return provider;
}

/** The policy of interactions: who is signed in here is who is signed in to the portal. */
function policy() {
  const prompts = interactionPolicy.base();
  prompts
    .get('login')
    ?.checks.add(
      new interactionPolicy.Check(
        'portal_session',
        'the user is not signed in to the portal',
        'login_required',
        ({ oidc }) => oidc.session?.accountId !== presentVisit().person?.user_id,
      ),
    );
  return prompts;
}

function configuration(keys: JWK[]): Configuration {
  const secure = settings().baseUrl.startsWith('https:');
  const cookie = { httpOnly: true, sameSite: 'lax', secure, path: OIDC_PATH } as const;
  return {
    adapter: (kind) => (kind === 'Client' ? clientsAdapter : recordsOf(kind, () => presentVisit().person?.session_id)),
    jwks: { keys },
    routes,
    cookies: {
      names: { session: 'nephele_sso', interaction: 'nephele_sso_interaction', resume: 'nephele_sso_resume' },
      long: cookie,
      // The library gives each of these the path of its own interaction, so that tabs do not meet.
      short: { httpOnly: true, sameSite: 'lax', secure },
    },
    scopes: ['openid', 'offline_access', 'profile', 'email'],
    claims: claimsOfScope,
    responseTypes: ['code'],
    clientAuthMethods: [...authMethods],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    // Tokens are for servers; pages of other origins have none to send.
    clientBasedCORS: () => false,
    features: {
      claimsParameter: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true, logoutSource: signOutPage, postLogoutSuccessSource: signedOutPage },
      userinfo: { enabled: true },
    },
    // Without offline_access, a refresh token ends with the session.
    issueRefreshToken: (_context, client, source) =>
      client.grantTypeAllowed('refresh_token') && source.scopes.has('openid'),
    rotateRefreshToken: true,
    ttl: {
      // Short: clients notice with the next refresh that a person has left the project.
      AccessToken: 15 * MINUTE_S,
      AuthorizationCode: MINUTE_S,
      IdToken: HOUR_S,
      Interaction: HOUR_S,
      RefreshToken: 14 * DAY_S,
      Grant: 14 * DAY_S,
      // As long as a session of the portal, with which it ends.
      Session: 7 * DAY_S,
    },
    interactions: { policy: policy(), url: (_context, { uid }) => `${OIDC_PATH}/interaction/${uid}` },
    async findAccount({ oidc }, sub) {
      const client_id = oidc.client?.clientId;
      const member = client_id === undefined ? undefined : await findMember(client_id, sub);
      if (member) return { accountId: sub, claims: () => claimsOf(member) };
      if (oidc.route !== 'authorization' && oidc.route !== 'resume') return undefined;
      if (client_id !== undefined) await recordOutsider(presentVisit(), client_id);
      throw new errors.AccessDenied('the user is not a member of the project');
    },
    renderError: errorPage,
  };
}

function claimsOf({ user_id, project_id, role, name, email, email_verified, updated_at }: SsoMember) {
  return {
    sub: user_id,
    project: project_id,
    role,
    name,
    email,
    email_verified,
    updated_at: Math.floor(updated_at.getTime() / 1000),
  };
}

/** Clients are registered by the API alone. */
const readOnly = async () => {
  throw new Error('clients are registered by the API');
};
const clientsAdapter = {
  async find(id: string) {
    const client = await findClient(id);
    return client && metadataOf(client);
  },
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  upsert: readOnly,
  consume: readOnly,
  destroy: readOnly,
  revokeByGrantId: readOnly,
};

function metadataOf(client: RegisteredClient): ClientMetadata {
  return {
    client_id: client.id,
    client_name: client.name,
    client_secret: client.secret_hash.toString('base64url'),
    token_endpoint_auth_method: client.auth_method,
    redirect_uris: client.redirect_uris,
    post_logout_redirect_uris: client.post_logout_redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}
