'use client';

import { type List, type ListPath, type Row, useList } from '@/lib/client/list';
import { formatBytes, formatGigabytes } from '@/lib/format/size';

/** What an instance is made of, as far as the project has it. */
export interface Choices {
  images: Row<'/api/v1/images/images'>[];
  flavors: Row<'/api/v1/compute/flavors'>[];
  networks: Row<'/api/v1/network/networks'>[];
  groups: Row<'/api/v1/network/security-groups'>[];
  keyPairs: Row<'/api/v1/compute/keypairs'>[];
  volumes: Row<'/api/v1/storage/volumes'>[];
  /** What instances are called already, as far as one answer goes. */
  names: string[];
}

/** The API's most in one answer. */
const MOST = 200;

/** Everything that a new instance can be made of: usable images, the certified ones first; flavors, the smallest first. */
export function useInstanceChoices(): { data: Choices | undefined; error: unknown; retry: () => void } {
  const images = useChoices('/api/v1/images/images');
  const flavors = useChoices('/api/v1/compute/flavors');
  const networks = useChoices('/api/v1/network/networks');
  const groups = useChoices('/api/v1/network/security-groups');
  const keyPairs = useChoices('/api/v1/compute/keypairs');
  const volumes = useChoices('/api/v1/storage/volumes');
  const instances = useChoices('/api/v1/compute/instances');
  const all: readonly Pick<List<unknown>, 'error' | 'data' | 'refetch'>[] = [
    images,
    flavors,
    networks,
    groups,
    keyPairs,
    volumes,
    instances,
  ];
  const failed = all.find(({ error, data }) => error !== null && data === undefined);
  return {
    data:
      images.data && flavors.data && networks.data && groups.data && keyPairs.data && volumes.data && instances.data
        ? {
            images: usable(images.data.rows),
            flavors: flavors.data.rows.filter(({ status }) => status === 'active'),
            networks: networks.data.rows,
            groups: groups.data.rows,
            keyPairs: keyPairs.data.rows,
            volumes: volumes.data.rows,
            names: instances.data.rows.map(({ name }) => name),
          }
        : undefined,
    error: failed?.error,
    retry: () => {
      for (const query of all) if (query.error) void query.refetch();
    },
  };
}

function useChoices<P extends ListPath>(path: P): List<Row<P>> {
  return useList(path, { limit: MOST });
}

/** Images to boot from, the certified ones first. One that is not there yet does too: the instance waits for it. */
export function usable(images: Choices['images']): Choices['images'] {
  const certified = (image: Choices['images'][number]) => (image.visibility === 'public' ? 0 : 1);
  return images
    .filter(({ status }) => status !== 'error' && status !== 'deleting')
    .sort((one, other) => certified(one) - certified(other) || one.name.localeCompare(other.name));
}

type Needs = Pick<Choices['images'][number], 'name' | 'min_disk_gb' | 'min_ram_mb'>;
type Size = Pick<Choices['flavors'][number], 'disk_gb' | 'ram_gb'>;

/** Why an image does not fit a flavor; undefined when it does. */
export function tooSmallFor({ name, min_disk_gb, min_ram_mb }: Needs, { disk_gb, ram_gb }: Size): string | undefined {
  if (disk_gb >= min_disk_gb && ram_gb * 1024 >= min_ram_mb) return undefined;
  const needs = [
    ...(min_ram_mb > 0 ? [`${formatBytes(min_ram_mb * 1024 ** 2)} memory`] : []),
    ...(min_disk_gb > 0 ? [`${formatGigabytes(min_disk_gb)} disk`] : []),
  ];
  return `Too small: ${name} needs ${needs.join(' and ')}`;
}

/** The first free name of its kind: `debian-1`, `debian-2`. */
export function suggestName(base: string, taken: readonly string[]): string {
  const stem = base.toLowerCase().match(/[a-z]+/)?.[0] ?? 'instance';
  for (let number = 1; ; number += 1) {
    const name = `${stem}-${number}`;
    if (!taken.includes(name)) return name;
  }
}
