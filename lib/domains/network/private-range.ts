import { type AddressRange, holds, rangeOf } from './ipv4';

/** RFC 1918: what a private network may use. */
export const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'] as const;
export const WIDEST_PREFIX = 16;
export const NARROWEST_PREFIX = 29;

/** Whether a private network may have this range. */
export function isPrivateRange(range: AddressRange & { prefix: number }): boolean {
  const isPrivate = PRIVATE_RANGES.some((outer) => holds(rangeOf(outer), range));
  return isPrivate && range.prefix >= WIDEST_PREFIX && range.prefix <= NARROWEST_PREFIX;
}

/** How many addresses of a range ports can have: all but the network's, the gateway's and the broadcast's. */
export function addressCount({ first, last }: AddressRange): number {
  return last - first - 2;
}
