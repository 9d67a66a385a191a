import { budget } from '@/components/billing/domain';
import { certificates } from '@/components/certificates/domain';
import { instances, keyPairs } from '@/components/compute/domain';
import { functions } from '@/components/functions/domain';
import { routes } from '@/components/gateway/domain';
import { images } from '@/components/images/domain';
import type { ResourceKind } from '@/components/kit/page/navigation';
import { layers } from '@/components/layers/domain';
import { loadBalancers } from '@/components/loadbalancing/domain';
import { floatingIps, networks, ports, routers, securityGroups } from '@/components/network/domain';
import { accessKeys, buckets } from '@/components/objects/domain';
import { secrets } from '@/components/secrets/domain';
import { snapshots, volumes } from '@/components/storage/domain';
import { typeWords } from '@/lib/format/resource-type';
import { paths } from '@/lib/paths';

/** One resource, as the API names it in searches, notifications and bills. */
export interface NamedResource {
  type: string;
  id: string;
  name: string | null;
}

interface Place {
  kind: Pick<ResourceKind, 'label' | 'noun' | 'nouns' | 'type' | 'icon' | 'href' | 'create' | 'telemetry'>;
  /** The page of one; for a type without such pages, its list with this one in it. */
  one: (project: string, id: string, search: { search: string } | undefined) => string;
}

const places: Readonly<Record<string, Place>> = {
  instance: { kind: instances, one: (project, id) => paths.instance(project, id) },
  key_pair: { kind: keyPairs, one: (project, _, search) => paths.keyPairs(project, search) },
  image: { kind: images, one: paths.image },
  volume: { kind: volumes, one: (project, id) => paths.volume(project, id) },
  bucket: { kind: buckets, one: (project, id) => paths.bucket(project, id) },
  access_key: { kind: accessKeys, one: (project, _, search) => paths.accessKeys(project, search) },
  snapshot: { kind: snapshots, one: (project, _, search) => paths.snapshots(project, search) },
  network: { kind: networks, one: paths.network },
  router: { kind: routers, one: paths.router },
  port: { kind: ports, one: paths.port },
  security_group: { kind: securityGroups, one: paths.securityGroup },
  load_balancer: { kind: loadBalancers, one: (project, id) => paths.loadBalancer(project, id) },
  floating_ip: { kind: floatingIps, one: (project, _, search) => paths.floatingIps(project, search) },
  gateway_route: { kind: routes, one: (project, id) => paths.route(project, id) },
  function: { kind: functions, one: (project, id) => paths.function(project, id) },
  layer: { kind: layers, one: (project, id) => paths.layer(project, id) },
  certificate: { kind: certificates, one: (project, id) => paths.certificate(project, id) },
  secret: { kind: secrets, one: (project, _, search) => paths.secrets(project, search) },
  budget: { kind: { ...budget, noun: 'budget' }, one: paths.budget },
};

/** The icon of a type of resource, if it has pages. */
export function iconOf(type: string) {
  return places[type]?.kind.icon;
}

/** The pages of a type of resource, if it has some. */
export function kindOf(type: string): Place['kind'] | undefined {
  return places[type]?.kind;
}

/** All types of resources, for filters. */
export const typeOptions = Object.entries(places)
  .filter(([type]) => !['budget', 'access_key'].includes(type))
  .map(([value, { kind }]) => ({ value, label: kind.noun.charAt(0).toUpperCase() + kind.noun.slice(1) }));

/** A type in words: "floating IP". */
export function nounOf(type: string): string {
  return places[type]?.kind.noun ?? typeWords(type);
}

/** The list of a type; undefined if the type has no pages. */
export function listOf(project: string, type: string): string | undefined {
  return places[type]?.kind.href(project);
}

/** Several of a type in words, as a title: "Floating IPs". */
export function titleOf(type: string): string {
  const { label } = places[type]?.kind ?? { label: typeWords(type) };
  return `${label.charAt(0).toUpperCase()}${label.slice(1)}`;
}

/** Where a resource of a project is shown; undefined if its type has no pages. */
export function hrefOf(project: string, { type, id, name }: NamedResource): string | undefined {
  return places[type]?.one(project, id, name === null ? undefined : { search: name });
}
