import type { InstanceSpec } from '@/lib/compute/engine';
import type { Host } from '../host';

export async function networkCommand(_host: Host, _spec: InstanceSpec): Promise<string[]> {
  return [];
}
