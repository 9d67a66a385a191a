import { parseAddress, sourceOf, within } from '@/lib/core/net/address';

/** How many connections one client address may hold open in this process at a time. */
export class ConnectionLimit {
  private readonly open = new Map<string, number>();

  /** @param exempt addresses and ranges that are not counted: proxies, which speak for many, and this machine */
  constructor(
    private readonly most: number,
    private readonly exempt: readonly string[] = [],
  ) {}

  /** Takes a place for the address. @returns how to give it back, once; undefined when all of its places are taken */
  take(address: string): (() => void) | undefined {
    const parsed = parseAddress(address);
    if (parsed && within(parsed, this.exempt)) return () => {};
    const source = sourceOf(parsed?.toString() ?? address);
    const held = this.open.get(source) ?? 0;
    if (held >= this.most) return undefined;
    this.open.set(source, held + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const left = (this.open.get(source) ?? 1) - 1;
      if (left > 0) this.open.set(source, left);
      else this.open.delete(source);
    };
  }
}
