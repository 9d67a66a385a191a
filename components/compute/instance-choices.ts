'use client';

import { type List, type ListPath, type Row, useList } from '@/lib/client/list';

/** What an instance is made of, as far as the project has it. */
export interface Choices {
  images: Row<'/api/v1/images/images'>[];
  flavors: Row<'/api/v1/compute/flavors'>[];
  networks: Row<'/api/v1/network/networks'>[];
  groups: Row<'/api/v1/network/security-groups'>[];
  keyPairs: Row<'/api/v1/compute/keypairs'>[];
}

/** The API's most in one answer. */
const MOST = 100;

/** Everything that a new instance can be made of: usable images, the certified ones first; flavors, the smallest first. */
export function useInstanceChoices(): { data: Choices | undefined; error: unknown; retry: () => void } {
  const images = useChoices('/api/v1/images/images');
  const flavors = useChoices('/api/v1/compute/flavors');
  const networks = useChoices('/api/v1/network/networks');
  const groups = useChoices('/api/v1/network/security-groups');
  const keyPairs = useChoices('/api/v1/compute/keypairs');
  const all: readonly Pick<List<unknown>, 'error' | 'data' | 'refetch'>[] = [
    images,
    flavors,
    networks,
    groups,
    keyPairs,
  ];
  const failed = all.find(({ error, data }) => error !== null && data === undefined);
  return {
    data:
      images.data && flavors.data && networks.data && groups.data && keyPairs.data
        ? {
            images: usable(images.data.rows),
            flavors: flavors.data.rows.filter(({ status }) => status === 'active'),
            networks: networks.data.rows,
            groups: groups.data.rows,
            keyPairs: keyPairs.data.rows,
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

/** An image that is not there yet does too: the instance waits for it. */
function usable(images: Choices['images']): Choices['images'] {
  const certified = (image: Choices['images'][number]) => (image.visibility === 'public' ? 0 : 1);
  return images
    .filter(({ status }) => status !== 'error' && status !== 'deleting')
    .sort((one, other) => certified(one) - certified(other) || one.name.localeCompare(other.name));
}
