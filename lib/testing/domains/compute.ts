import { prisma } from '@/lib/core/db/prisma';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { type Call, created, type DomainTesting, member } from '../fixture';
import { createCell, NANO, TINY_IMAGE } from '../hosts';
import type { TestProject } from '../world';

/** An instance on the project's default network that no worker boots. */
export async function instance(project: TestProject, call: Call): Promise<Record<string, string>> {
  await createCell();
  await ensureProjectNetworking(project.id);
  const network = await prisma().network.findFirstOrThrow({ where: { project_id: project.id } });
  const body = { name: 'fixture', flavor_id: NANO, image_id: TINY_IMAGE, network_id: network.id };
  return created(member(project, call, '/compute/instances', body));
}

export const computeTesting: DomainTesting = {
  fixtures: {
    '/compute/instances/{id}': instance,
    '/compute/keypairs/{id}': (project, call) =>
      created(member(project, call, '/compute/keypairs', { name: 'fixture' })),
  },
};
