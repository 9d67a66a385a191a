/** IPv4 addresses as numbers, for ranges and counting. */
export function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** The opposite of `toNumber`. */
export function toAddress(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

/** From the network address to the broadcast address. */
export type AddressRange = { first: number; last: number };

/** The range of a CIDR such as `10.0.0.0/24`, which must be well formed. */
export function rangeOf(cidr: string): AddressRange & { prefix: number } {
  const [address = '', bits = ''] = cidr.split('/');
  const prefix = Number(bits);
  const size = 2 ** (32 - prefix);
  const first = Math.floor(toNumber(address) / size) * size;
  return { first, last: first + size - 1, prefix };
}

/** The CIDR without the bits of a host: `10.0.0.7/24` → `10.0.0.0/24`. */
export function networkCidr(cidr: string): string {
  const { first, prefix } = rangeOf(cidr);
  return `${toAddress(first)}/${prefix}`;
}

/** Whether one range holds all of the other. */
export function holds(outer: AddressRange, inner: AddressRange): boolean {
  return outer.first <= inner.first && inner.last <= outer.last;
}
