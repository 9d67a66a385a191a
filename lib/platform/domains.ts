import type { Domain } from '@/lib/core/domains/domain';
import { certificates } from '@/lib/domains/certificates/domain';
import { compute } from '@/lib/domains/compute/domain';
import { functions } from '@/lib/domains/functions/domain';
import { gateway } from '@/lib/domains/gateway/domain';
import { images } from '@/lib/domains/images/domain';
import { layers } from '@/lib/domains/layers/domain';
import { loadbalancing } from '@/lib/domains/loadbalancing/domain';
import { network } from '@/lib/domains/network/domain';
import { objects } from '@/lib/domains/objects/domain';
import { observability } from '@/lib/domains/observability/domain';
import { secrets } from '@/lib/domains/secrets/domain';
import { storage } from '@/lib/domains/storage/domain';

/** All domains, in the order of the API reference. */
export const domains = [
  compute,
  network,
  loadbalancing,
  gateway,
  certificates,
  storage,
  objects,
  layers,
  functions,
  images,
  secrets,
  observability,
] as const satisfies readonly Domain[];

export type DomainName = (typeof domains)[number]['name'];
