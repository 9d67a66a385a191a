import ipaddr from 'ipaddr.js';

/** IPv4 arithmetic on plain numbers. */
export type Range = { first: number; last: number };

export function toNumber(ip: string): number {
  return ipaddr.IPv4.parse(ip).octets.reduce((sum, octet) => sum * 256 + octet, 0);
}

export function toAddress(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

export function rangeOf(cidr: string): Range {
  const [base, length] = ipaddr.IPv4.parseCIDR(cidr);
  const size = 2 ** (32 - length);
  const first = Math.floor(toNumber(base.toString()) / size) * size;
  return { first, last: first + size - 1 };
}

export const prefixLengthOf = (cidr: string) => ipaddr.IPv4.parseCIDR(cidr)[1];

export const netmaskOf = (cidr: string) => ipaddr.IPv4.subnetMaskFromPrefixLength(prefixLengthOf(cidr)).toString();

export const overlaps = (a: Range, b: Range) => a.first <= b.last && b.first <= a.last;

/** Whether a CIDR of a rule speaks of IPv4 at all; the platform's networks have no IPv6. */
export const isIpv4 = (cidr: string) => ipaddr.IPv4.isValidCIDR(cidr);
