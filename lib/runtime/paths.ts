/**
 * The path of a request in the one form that rules are written for: decoded, without empty and dot segments.
 * Undefined when it has no such form, as the targets of a proxy's requests (`http://…`, `*`).
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

/** True for the back office: its pages and its API. */
export function isBackoffice(path: string): boolean {
  return within(path, '/admin');
}

/** True for what the API answers, unknown addresses in it included. */
export function isApi(path: string): boolean {
  return within(path, '/api/v1') || within(path, '/admin/api/v1');
}

/** True for what watches the platform. */
export function isHealth(path: string): boolean {
  return path === '/healthz' || path === '/readyz' || path === '/metrics';
}

/** On a listener of its own the back office's API begins at the root: `{backoffice_url}/api/v1/…`. */
export function backofficeUrl(url: string): string {
  return url.startsWith('/api/v1/') ? `/admin${url}` : url;
}
