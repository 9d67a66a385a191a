import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An IP address, with or without brackets; an IPv4 address mapped into IPv6 is that IPv4 address. */
export function parseAddress(text: string): Address | undefined {
  const trimmed = text.trim().replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(trimmed) ? ipaddr.process(trimmed) : undefined;
}

/** Whether the address lies in one of these addresses and CIDR ranges; entries that are neither match nothing. */
export function within(address: Address, networks: readonly string[]): boolean {
  return networks.some((network) => {
    if (ipaddr.isValidCIDR(network)) {
      const [range, bits] = ipaddr.parseCIDR(network);
      return range.kind() === address.kind() && address.match(range, bits);
    }
    return ipaddr.isValid(network) && ipaddr.process(network).toString() === address.toString();
  });
}

/** Public by their range, and yet the metadata and control service of a cloud that the platform may run in. */
const CLOUD_INTERNAL = ['168.63.129.16'];
const GLOBAL_UNICAST = ['2000::/3'];

/**
 * Whether the address belongs to the public internet: not this machine, not its networks, not the metadata service of
 * a cloud below, no multicast, nothing reserved, and no IPv6 address that wraps an IPv4 one (RFC 6890).
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || within(address, CLOUD_INTERNAL)) return false;
  return address.kind() === 'ipv4' || within(address, GLOBAL_UNICAST);
}

/** What an address counts as: itself, or the /64 that an IPv6 subscriber has to choose addresses from. */
export function sourceOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()}/64`;
}
