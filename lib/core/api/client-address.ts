import { parseAddress, within } from '@/lib/core/net/address';

/** Passes the socket's address to code that sees only headers. A value sent by the client is overwritten. */
export const socketAddressHeader = 'x-nephele-client-address';

/**
 * The client's address: the socket's, or, behind trusted proxies, the last untrusted address of `X-Forwarded-For`.
 * Entries that the client adds to that header are ignored.
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
