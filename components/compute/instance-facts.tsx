import { Id } from '@/components/kit/data/id';
import type { Fact } from '@/components/kit/page/facts';
import { LazyPrice } from '@/components/pricing/price-column';
import { billedNow } from '@/lib/domains/compute/billed';
import type { Instance } from './instance-actions';

/** Where an instance answers, its size and its current price. */
export function instanceFacts(instance: Instance): Fact[] {
  const { addresses, flavor, image } = instance;
  const [address] = addresses;
  return [
    ...(address ? [['IP address', <Id key="ip" value={address.ip} label="IP address" />] as const] : []),
    ...(address?.floating_ip
      ? [['Floating IP', <Id key="floating" value={address.floating_ip} label="floating IP" />] as const]
      : []),
    ['Flavor', flavor.name],
    ['Image', image.name],
    ['Per hour', <LazyPrice key="price" claims={billedNow(instance)} per="hour" />],
  ];
}
