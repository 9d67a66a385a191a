import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function parse(text: string): Address | undefined {
  const trimmed = text.trim().replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(trimmed) ? ipaddr.process(trimmed) : undefined;
}

function within(address: Address, networks: readonly string[]): boolean {
  return networks.some((network) => {
    const [range, bits] = network.includes('/') ? ipaddr.parseCIDR(network) : [ipaddr.process(network), undefined];
    if (range.kind() !== address.kind()) return false;
    return address.match(range, bits ?? (range.kind() === 'ipv4' ? 32 : 128));
  });
}

/**
 * The address of the client: the socket's, unless that is a trusted proxy; then the last address of `X-Forwarded-For`
 * that is not one. What a client writes into that header itself is never believed.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | null,
  trustedProxies: readonly string[],
): string {
  let client = parse(socketAddress);
  if (!client) return 'unknown';
  const hops = (forwardedFor ?? '').split(',').reverse();
  for (const hop of hops) {
    if (!within(client, trustedProxies)) break;
    const before = parse(hop);
    if (!before) break;
    client = before;
  }
  return client.toString();
}
