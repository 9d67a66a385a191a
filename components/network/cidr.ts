import { type AddressRange, networkCidr, rangeOf, toAddress, toNumber } from '@/lib/domains/network/ipv4';
import {
  addressCount,
  isPrivateRange,
  NARROWEST_PREFIX,
  PRIVATE_RANGES,
  WIDEST_PREFIX,
} from '@/lib/domains/network/private-range';

const octet = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const address = new RegExp(`^${octet}(?:\\.${octet}){3}$`);
const range = new RegExp(`^${octet}(?:\\.${octet}){3}/(?:3[0-2]|[12]?\\d)$`);

export function isAddress(text: string): boolean {
  return address.test(text);
}

/** What stands wrong in a range for rules, in words; undefined when nothing does. A lone address counts as one of its own. */
export function rangeProblem(text: string): string | undefined {
  if (isAddress(text)) return undefined;
  if (!range.test(text)) return 'Enter an IPv4 address or range, such as 203.0.113.0/24.';
  return text === networkCidr(text) ? undefined : `Not the start of a range. Did you mean ${networkCidr(text)}?`;
}

/** What a range for a private network means, before it is asked for. */
export interface CidrReading {
  cidr: string;
  gateway: string;
  /** What ports can have. */
  first: string;
  last: string;
  addresses: number;
  broadcast: string;
}

/** Reads a range for a private network: what it means, or what stands in the way, in the API's own terms. */
export function readCidr(text: string, gateway = ''): CidrReading | { problem: string } {
  const problem = text === '' ? 'Enter an IP range, such as 10.20.0.0/24.' : rangeProblem(text);
  if (problem !== undefined) return { problem };
  if (isAddress(text)) return { problem: `Add a prefix length. ${text}/24 has 256 addresses.` };
  const { first, last, prefix } = rangeOf(text);
  if (!isPrivateRange({ first, last, prefix })) {
    return {
      problem: `Use a /${WIDEST_PREFIX} to /${NARROWEST_PREFIX} within ${PRIVATE_RANGES.join(', ')}.`,
    };
  }
  const own = isAddress(gateway) ? gateway : toAddress(first + 1);
  // Ports get what the gateway leaves: where it is one of the ends, they begin or end beside it.
  return {
    cidr: text,
    gateway: own,
    first: toAddress(toNumber(own) === first + 1 ? first + 2 : first + 1),
    last: toAddress(toNumber(own) === last - 1 ? last - 2 : last - 1),
    addresses: addressCount({ first, last }),
    broadcast: toAddress(last),
  };
}

const overlap = (one: AddressRange, other: AddressRange) => one.first <= other.last && other.first <= one.last;

/** The networks whose ranges share addresses with this one. */
export function overlapping<N extends { cidr: string }>(cidr: string, networks: readonly N[]): N[] {
  return networks.filter((network) => overlap(rangeOf(cidr), rangeOf(network.cidr)));
}

/** A /24 that overlaps none of them: 10.1.0.0/24, 10.2.0.0/24 and so on; empty when all are in use. */
export function freeRange(networks: readonly { cidr: string }[]): string {
  for (let second = 1; second < 256; second += 1) {
    const cidr = `10.${second}.0.0/24`;
    if (overlapping(cidr, networks).length === 0) return cidr;
  }
  return '';
}
