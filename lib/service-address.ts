/**
 * The address at which programs of tenants reach the platform they run on: the same inside every tenant network and every
 * sandbox that has a way out. Link-local, so that no network of a tenant can have it.
 */
export const SERVICE_ADDRESS = '169.254.80.80';

/** Its name; resolvers of tenant networks answer it, and no machine can take it. */
export const SERVICE_NAME = 'platform.internal';

/** What answers there: each part of the platform at a port of its own, under these paths and no others. */
export const serviceListeners = {
  api: { port: 80, paths: ['/api/v1/'] },
} as const satisfies Record<string, { port: number; paths: readonly string[] }>;

/** The API, as programs of tenants call it. */
export const PLATFORM_URL = `http://${SERVICE_NAME}/api/v1`;

export const servicePorts: readonly number[] = Object.values(serviceListeners).map(({ port }) => port);
