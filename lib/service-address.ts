/**
 * The address at which tenants' programs reach the platform, the same inside every tenant network and every sandbox
 * with egress. Link-local, so that no tenant network can use it.
 */
export const SERVICE_ADDRESS = '169.254.80.80';

/** Its name; resolvers of tenant networks answer it, and no machine can take it. */
export const SERVICE_NAME = 'platform.internal';

/** The services at that address: each part of the platform has its own port and allowed paths. */
export const serviceListeners = {
  api: { port: 80, paths: ['/api/v1/'] },
} as const satisfies Record<string, { port: number; paths: readonly string[] }>;

/** The API's base URL for tenants' programs. */
export const PLATFORM_URL = `http://${SERVICE_NAME}/api/v1`;

export const servicePorts: readonly number[] = Object.values(serviceListeners).map(({ port }) => port);
