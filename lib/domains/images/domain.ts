import { domain, none } from '@/lib/core/domains/domain';
import { byName } from '@/lib/core/domains/search';
import { imageEndpoints } from './endpoints';
import { imagesPortal } from './portal';
import { imageStatuses } from './schema';

/** Bootable operating systems, public and uploaded. */
export const images = domain({
  name: 'images',
  endpoints: imageEndpoints,
  tags: { Images: 'Bootable operating systems: certified public images, and your own.' },
  resources: {
    image: {
      table: 'images',
      statuses: imageStatuses,
      metering: ['image_storage'],
      search: byName('/images/images', { has_public: true }),
    },
  },
  services: [
    {
      id: 'images',
      name: 'Images',
      category: 'compute',
      description: 'Operating systems to boot from: certified ones, and your own.',
      resources: ['image'],
      engines: ['images'],
      reference: 'Images',
    },
  ],
  tables: none,
  dependsOn: none,
  portal: imagesPortal,
  sealed: none,
  checks: {
    billing: [{ resource_type: 'image', metrics: ['image_storage'], billed_in: ['active'] }],
    quota: none,
    devices: none,
  },
  work: async () => (await import('./work')).imagesWork,
  programs: none,
  state: ['engine/images', 'engine/layers'],
  logs: none,
  metrics: none,
});
