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
  s3: { port: 9000, paths: ['/'] },
} as const satisfies Record<string, { port: number; paths: readonly string[] }>;

/** The API's base URL for tenants' programs. */
export const PLATFORM_URL = `http://${SERVICE_NAME}/api/v1`;

/** The S3 endpoint's URL for tenants' programs. */
export const SERVICE_S3_URL = `http://${SERVICE_NAME}:${serviceListeners.s3.port}`;

export const servicePorts: readonly number[] = Object.values(serviceListeners).map(({ port }) => port);

const [LOWEST_CALLER, CALLERS] = [224, 30];

/**
 * The loopback address that an owner's calls come from. @param bytes of a hash of the owner: addresses are shared only by chance
 */
export const callersAddress = ([first = 0, second = 0, third = 0]: Uint8Array) =>
  `127.${LOWEST_CALLER + (first % CALLERS)}.${second}.${1 + (third % 254)}`;

/** Whether a call came over the service address. */
export function isCallersAddress(address: string): boolean {
  const [first, second] = address
    .replace(/^::ffff:/, '')
    .split('.')
    .map(Number);
  return first === 127 && second !== undefined && second >= LOWEST_CALLER && second < LOWEST_CALLER + CALLERS;
}
