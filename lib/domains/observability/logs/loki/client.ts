import { settings } from '@/lib/settings';
import { askOutside, type OutsideRequest, withoutCredentials } from '../../outside';

/**
 * Sends a request to the Loki of `LOKI_URL`. @returns the body
 * @throws OutsideRefusal for any status but 2xx; the errors of `fetch` where it does not respond
 */
export function askLoki(path: string, { headers, ...request }: OutsideRequest): Promise<string> {
  const { url, tenant } = loki();
  return askOutside('Loki', url, `loki/api/v1/${path}`, {
    ...request,
    headers: { ...headers, ...(tenant === undefined ? {} : { 'X-Scope-OrgID': tenant }) },
  });
}

/** The address and tenant of `LOKI_URL`, without credentials. */
export function lokiName(): string {
  const { url, tenant } = loki();
  return [withoutCredentials(url).address, ...(tenant === undefined ? [] : [tenant])].join(' ');
}

/** @throws Error without `LOKI_URL` */
function loki() {
  const { loki: given } = settings();
  if (!given) throw new Error('LOKI_URL is not set');
  return given;
}
