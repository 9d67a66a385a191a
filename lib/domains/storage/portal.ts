import { type DomainPortal, none } from '@/lib/core/domains/portal';

export const storagePortal: DomainPortal = {
  topics: {
    snapshot: ['/api/v1/storage/snapshots', '/api/v1/storage/volumes'],
    volume: [
      '/api/v1/storage/volumes',
      '/api/v1/storage/snapshots',
      '/api/v1/compute/instances',
      '/api/v1/images/images',
    ],
  },
  actions: none,
  sections: { Storage: ['Volumes', 'Snapshots'] },
};
