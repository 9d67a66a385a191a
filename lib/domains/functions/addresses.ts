import { settings } from '@/lib/settings';

/** The suffix of the first label of function addresses, which routes can't have. */
export const FUNCTION_SUFFIX = '--fn';

/** The host of a function's URL. */
export const functionHost = (name: string, slug: string) =>
  `${name}${FUNCTION_SUFFIX}.${slug}.${settings().gatewayDomain}`;

/** Name and project of a function's host; undefined for any other host. */
export function readFunctionHost(host: string): { name: string; slug: string } | undefined {
  const { gatewayDomain } = settings();
  const labels = host.endsWith(`.${gatewayDomain}`) ? host.slice(0, -gatewayDomain.length - 1).split('.') : [];
  const [first = '', slug] = labels;
  if (labels.length !== 2 || slug === undefined || !first.endsWith(FUNCTION_SUFFIX)) return undefined;
  return { name: first.slice(0, -FUNCTION_SUFFIX.length), slug };
}

/** The URL of a function for browsers and scripts. */
export function functionUrl(name: string, slug: string): string {
  const { gatewayHttpsPort } = settings();
  return `https://${functionHost(name, slug)}${gatewayHttpsPort === 443 ? '' : `:${gatewayHttpsPort}`}/`;
}
