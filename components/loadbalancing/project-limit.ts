import type { components } from '@/lib/client/schema';
import { formatCount } from '@/lib/format/quantity';

/** Load balancers in the catalog of services. */
export type Service = Pick<components['schemas']['CatalogService'], 'status' | 'status_reason' | 'resources' | 'limit'>;

/** Why the project may have no further load balancer; undefined when it may. */
export function whyNoMore(service: Service | undefined): string | undefined {
  if (!service?.limit || service.resources < service.limit.most) return undefined;
  const { most, setting } = service.limit;
  return `The project has ${formatCount(most, 'load balancer')}, the maximum (${setting}). Delete one, or ask the operator to raise the limit.`;
}
