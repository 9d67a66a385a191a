import { parseAddress, within } from '@/lib/core/net/address';

/** Carries the socket's address to code that sees only headers. Whatever a client writes there is overwritten. */
export const socketAddressHeader = 'x-nephele-client-address';

/**
 * The address of the client: the socket's, unless that is a trusted proxy; then the last address of `X-Forwarded-For`
 * that is not one. What a client writes into that header itself is never believed.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | null,
  trustedProxies: readonly string[],
): string {
  let client = parseAddress(socketAddress);
  if (!client) return 'unknown';
  const hops = (forwardedFor ?? '').split(',').reverse();
  for (const hop of hops) {
    if (!within(client, trustedProxies)) break;
    const before = parseAddress(hop);
    if (!before) break;
    client = before;
  }
  return client.toString();
}
