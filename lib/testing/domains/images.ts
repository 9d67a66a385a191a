import { now } from '@/lib/clock';
import { newId } from '@/lib/core/db/id';
import { prisma } from '@/lib/core/db/prisma';
import type { DomainTesting } from '../fixture';
import { UPLOADED } from '../hosts';

export const imagesTesting: DomainTesting = {
  fixtures: {
    '/images/images/{id}': async (project) => {
      const image = { id: newId(), name: 'fixture', format: 'RAW', status: 'active', source: UPLOADED, min_disk_gb: 1 };
      const times = { created_at: now(), updated_at: now() };
      await prisma().image.create({ data: { ...image, ...times, project_id: project.id, owner_id: project.id } });
      return { id: image.id };
    },
  },
};
