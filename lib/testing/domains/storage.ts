import { prisma } from '@/lib/core/db/prisma';
import { type Call, created, type DomainTesting, member } from '../fixture';
import { createCell } from '../hosts';
import type { TestProject } from '../world';

async function volume(project: TestProject, call: Call): Promise<Record<string, string>> {
  await createCell();
  return created(member(project, call, '/storage/volumes', { name: 'fixture', size_gb: 1 }));
}

export const storageTesting: DomainTesting = {
  fixtures: {
    '/storage/volumes/{id}': volume,
    '/storage/snapshots/{id}': async (project, call) => {
      const { id: volume_id } = await volume(project, call);
      await prisma().volume.update({ where: { id: volume_id ?? '' }, data: { status: 'available' } });
      return created(member(project, call, '/storage/snapshots', { name: 'fixture', volume_id }));
    },
  },
};
