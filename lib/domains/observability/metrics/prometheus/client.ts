import { settings } from '@/lib/settings';
import { askOutside, type OutsideRequest } from '../../outside';

/** About 2,000,000 points. A web process holds several answers at once. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Sends a request to the Prometheus of `PROMETHEUS_URL`. @returns the body
 * @throws OutsideRefusal for any status but 2xx; OutsideTooLarge; the errors of `fetch` where it does not respond
 */
export function askPrometheus(path: string, request: OutsideRequest): Promise<string> {
  const { prometheusUrl } = settings();
  if (prometheusUrl === undefined) throw new Error('PROMETHEUS_URL is not set');
  return askOutside('Prometheus', prometheusUrl, `api/v1/${path}`, { ...request, most_bytes: MOST_BYTES });
}
