import { run } from '../exec';
import type { Host } from '../host';
import type { AddressPlan } from './address-plan';
import { closedRanges } from './closed-ranges';
import { hostCable } from './names';
import { upstreamResolvers } from './resolvers';

/**
 * As root, the host's own side of the way out: guests are never let in, private ranges stay closed here too, and what
 * leaves carries the host's address. The table is ours alone; the operator's own rules stay as they are.
 */
export async function applyHostRules(host: Host, plan: AddressPlan): Promise<void> {
  const { never, open, closed } = closedRanges(host, plan);
  const cable = hostCable(host);
  const list = (cidrs: string[]) => `{ ${cidrs.join(', ')} }`;
  const resolvers = upstreamResolvers();
  const script = [
    `table inet ${cable}`,
    `delete table inet ${cable}`,
    `table inet ${cable} {`,
    'chain input { type filter hook input priority -150; policy accept',
    `iifname "${cable}" ct state established,related accept`,
    `iifname "${cable}" drop`,
    '}',
    'chain forward { type filter hook forward priority -150; policy accept',
    `iifname "${cable}" ct state established,related accept`,
    ...(resolvers.length > 0
      ? [`iifname "${cable}" ip daddr ${list(resolvers)} meta l4proto { tcp, udp } th dport 53 accept`]
      : []),
    `iifname "${cable}" ip daddr ${list(never)} drop`,
    ...(open.length > 0 ? [`iifname "${cable}" ip daddr ${list(open)} accept`] : []),
    `iifname "${cable}" ip daddr ${list(closed)} drop`,
    `oifname "${cable}" ct state established,related accept`,
    `oifname "${cable}" ip daddr ${plan.pool} accept`,
    `oifname "${cable}" drop`,
    '}',
    'chain postrouting { type nat hook postrouting priority srcnat',
    `oifname != "${cable}" ip saddr { ${plan.segment}, ${plan.pool} } masquerade`,
    '}',
    '}',
    '',
  ].join('\n');
  await run(['nft', '-f', '-'], { input: script });
}
