interface PolicyOptions {
  /** New for every page: only scripts with it run, and scripts that they load. */
  nonce: string;
  /** The `Host` of the request, for WebSockets of the same origin, which older browsers do not count as 'self'. */
  host: string | null;
  /** The origin of object storage, which the file browser talks to. */
  storage: string;
  /** React and hot reload need `eval`, in development only. */
  development: boolean;
}

/** The content policy of every page (CSP 3): our own scripts by nonce, nothing from anywhere else, no framing. */
export function contentSecurityPolicy({ nonce, host, storage, development }: PolicyOptions): string {
  const sockets = host && /^[\w.:[\]-]+$/.test(host) ? ` ws://${host} wss://${host}` : '';
  return [
    "default-src 'self'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`,
    // Menus, toasts, charts and terminals set inline styles; a style cannot run code.
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob: ${storage}`,
    "font-src 'self'",
    `connect-src 'self'${sockets} ${storage}`,
    // A PDF of a bucket, whose type we set.
    "frame-src 'self' blob:",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * The other headers of every page. HSTS only over https: browsers ignore it over http, and a local start has no https.
 */
export function securityHeaders(https: boolean): [name: string, value: string][] {
  const headers: [name: string, value: string][] = [
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'same-origin'],
    ['Permissions-Policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
  ];
  if (https) headers.push(['Strict-Transport-Security', 'max-age=31536000']);
  return headers;
}
