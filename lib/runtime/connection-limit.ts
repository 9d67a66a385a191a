import { parseAddress, sourceOf, within } from '@/lib/core/net/address';

/** Limits concurrent connections per client address in this process. */
export class ConnectionLimit {
  private readonly open = new Map<string, number>();

  /** @param exempt addresses and ranges without a limit: proxies, which act for many clients, and this machine */
  constructor(
    private readonly most: number,
    private readonly exempt: readonly string[] = [],
  ) {}

  /** Takes a place for the address. @returns a function that releases it, once; undefined when all places are taken */
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
