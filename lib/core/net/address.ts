import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Parses an IP address, with or without brackets; an IPv4-mapped IPv6 address becomes the IPv4 address. */
export function parseAddress(text: string): Address | undefined {
  const trimmed = text.trim().replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(trimmed) ? ipaddr.process(trimmed) : undefined;
}

/** Whether the address is in one of these addresses or CIDR ranges; malformed entries match nothing. */
export function within(address: Address, networks: readonly string[]): boolean {
  return networks.some((network) => {
    if (ipaddr.isValidCIDR(network)) {
      const [range, bits] = ipaddr.parseCIDR(network);
      return range.kind() === address.kind() && address.match(range, bits);
    }
    return ipaddr.isValid(network) && ipaddr.process(network).toString() === address.toString();
  });
}

/** In a public range, but the metadata and control service of an underlying cloud. */
const CLOUD_INTERNAL = ['168.63.129.16'];
const GLOBAL_UNICAST = ['2000::/3'];

/**
 * Whether the address is on the public internet (RFC 6890): not this machine, a local network, an underlying cloud's
 * metadata service, multicast, reserved, or IPv6 that embeds an IPv4 address.
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || within(address, CLOUD_INTERNAL)) return false;
  return address.kind() === 'ipv4' || within(address, GLOBAL_UNICAST);
}

/** The source to count an address under: the address itself, or the /64 of an IPv6 subscriber. */
export function sourceOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()}/64`;
}
