import { prisma } from '@/lib/core/db/prisma';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { NANO, TINY_IMAGE } from './hosts';
import type { Answer, api, TestProject } from './world';

type Client = ReturnType<typeof api>;

/** The project's default network. */
export async function defaultNetwork(project: TestProject): Promise<string> {
  await ensureProjectNetworking(project.id);
  const network = await prisma().network.findFirstOrThrow({ where: { project_id: project.id, is_default: true } });
  return network.id;
}

/** Creates a nano instance of the tiny image, as the project's member. */
export async function launch(client: Client, project: TestProject, body: object = {}): Promise<Answer> {
  const wanted = {
    name: 'web',
    flavor_id: NANO,
    image_id: TINY_IMAGE,
    network_id: await defaultNetwork(project),
    ...body,
  };
  return client('POST', '/compute/instances', { token: project.users.member.token, body: wanted });
}

/** The id in an answer's body. */
export function idOf({ body, text }: Answer): string {
  if (typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string') return body.id;
  throw new Error(`an answer without an id: ${text}`);
}
