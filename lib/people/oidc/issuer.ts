import { settings } from '@/lib/settings';

/** Where single sign-on is served. */
export const OIDC_PATH = '/oidc';

/** The `iss` of ID tokens. */
export function ssoIssuer(): string {
  return settings().baseUrl + OIDC_PATH;
}

/** The addresses that a client needs, below the issuer. */
export const routes = {
  authorization: '/auth',
  token: '/token',
  userinfo: '/me',
  jwks: '/jwks',
  revocation: '/token/revocation',
  end_session: '/session/end',
} as const;

/** What a client is set up with; discovery says the same. */
export function ssoAddresses() {
  const issuer = ssoIssuer();
  return {
    issuer,
    authorization_endpoint: issuer + routes.authorization,
    token_endpoint: issuer + routes.token,
    userinfo_endpoint: issuer + routes.userinfo,
    jwks_uri: issuer + routes.jwks,
    discovery_url: `${issuer}/.well-known/openid-configuration`,
  };
}

/** Whether a URL is our own issuer, however it is written. */
export function isOwnIssuer(url: URL): boolean {
  const own = new URL(ssoIssuer());
  return url.origin === own.origin && url.pathname.replace(/\/+$/, '') === own.pathname;
}
