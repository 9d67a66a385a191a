import { randomUUID } from 'node:crypto';
import { type Call, created, type DomainTesting, member } from '../fixture';
import type { TestProject } from '../world';

/** A bucket of the project. @returns its name */
export async function createBucket(project: TestProject, call: Call): Promise<string> {
  const name = `b-${randomUUID().slice(0, 18)}`;
  await created(member(project, call, '/storage/buckets', { name }));
  return name;
}

const upload = async (project: TestProject, call: Call) => {
  const name = await createBucket(project, call);
  const body = { key: 'a.txt', size_bytes: 5 };
  const answer = await member(project, call, `/storage/buckets/${name}/objects/uploads`, body);
  return { name, id: (answer.body as { upload_id: string }).upload_id };
};

export const objectsTesting: DomainTesting = {
  fixtures: {
    '/storage/credentials/{id}': (project, call) =>
      created(member(project, call, '/storage/credentials', { description: 'fixture' })),
    '/storage/buckets/{name}/uploads/{id}': upload,
    '/storage/buckets/{name}/objects/{key}': async (project, call) => ({
      name: await createBucket(project, call),
      key: 'a.txt',
    }),
    '/storage/buckets/{name}': async (project, call) => ({ name: await createBucket(project, call) }),
  },
};
