/**
 * The normalised path of a request, as rules expect it: decoded, without empty and dot segments. Undefined for targets
 * of proxy requests (`http://…`, `*`) and others without such a form.
 */
export function plainPath(url: string): string | undefined {
  if (!url.startsWith('/')) return undefined;
  try {
    const { pathname } = new URL(url.replace(/^\/+/, '/'), 'http://host');
    return decodeURIComponent(pathname).replace(/\/{2,}/g, '/');
  } catch {
    return undefined;
  }
}

const within = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** Whether the path belongs to the back office: its pages or API. */
export function isBackoffice(path: string): boolean {
  return within(path, '/admin');
}

/** Whether the API answers the path, including unknown addresses below it. */
export function isApi(path: string): boolean {
  return within(path, '/api/v1') || within(path, '/admin/api/v1');
}

/** Whether single sign-on answers the path. */
export function isSso(path: string): boolean {
  return within(path, '/oidc');
}

/** Whether the path is for monitoring the platform. */
export function isHealth(path: string): boolean {
  return path === '/healthz' || path === '/readyz' || path === '/metrics';
}

/** Whether a certificate authority asks for the answer to a challenge (RFC 8555, 8.3). */
export function isAcmeChallenge(path: string): boolean {
  return path.startsWith('/.well-known/acme-challenge/');
}

/** Maps the back office's API on its own listener, where it starts at the root: `{backoffice_url}/api/v1/…`. */
export function backofficeUrl(url: string): string {
  return url.startsWith('/api/v1/') ? `/admin${url}` : url;
}
