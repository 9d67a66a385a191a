import { now } from '@/lib/clock';
import { newId } from '@/lib/db/id';
import { prisma } from '@/lib/db/prisma';
import type { TestProject } from './world';

/** Path parameters that name something that exists in a project. */
export type Fixture = (project: TestProject, call: Call) => Promise<Record<string, string>>;
type Call = (
  method: string,
  path: string,
  options: { token?: string; body?: unknown },
) => Promise<{ status: number; body: unknown }>;

async function created(answer: Promise<{ status: number; body: unknown }>): Promise<Record<string, string>> {
  const { status, body } = await answer;
  if (status !== 201 || typeof body !== 'object' || body === null || !('id' in body) || typeof body.id !== 'string') {
    throw new Error(`a fixture was not created: ${status} ${JSON.stringify(body)}`);
  }
  return { id: body.id };
}

const createdToken: Fixture = (project, call) =>
  created(
    call('POST', '/auth/tokens', { token: project.users.admin.token, body: { name: 'fixture', role: 'reader' } }),
  );

/**
 * How to make what a path with parameters addresses, by the beginning of the path. Every endpoint with parameters needs
 * one: the generated suite calls it as another tenant and expects 404.
 */
export const fixtures: Record<string, Fixture> = {
  '/audit/{id}': async (project) => {
    const entry = { id: newId(), project_id: project.id, at: now(), actor_type: 'user', actor_name: 'x' };
    await prisma().auditEntry.create({ data: { ...entry, action: 'test.entry', result: 'succeeded', status: 200 } });
    return { id: entry.id };
  },
  '/auth/sessions/{id}': async (project) => {
    const { id } = await prisma().session.findFirstOrThrow({ where: { user_id: project.users.admin.id } });
    return { id };
  },
  '/auth/invitations/{project_id}': async (project) => ({ project_id: project.id }),
  '/auth/tokens/{id}': createdToken,
  '/identity/tokens/{id}': createdToken,
  '/vault/secrets/{id}': (project, call) =>
    created(
      call('POST', '/vault/secrets', {
        token: project.users.member.token,
        body: { name: 'fixture', type: 'opaque', payload: 'x' },
      }),
    ),
};
