import type { None } from '@/lib/core/domains/portal';
import type { TestProject } from './world';

/** Test fixtures of a domain; `none` if it has none of a kind. */
export type DomainTesting = {
  /** Creates the resource of a path with parameters, by the beginning of the path. */
  fixtures: Readonly<Record<string, Fixture>> | None;
};

/** Path parameters that name an existing resource of a project. */
export type Fixture = (project: TestProject, call: Call) => Promise<Record<string, string>>;
export type Call = (
  method: string,
  path: string,
  options: { token?: string; body?: unknown },
) => Promise<{ status: number; body: unknown }>;

export async function created(answer: Promise<{ status: number; body: unknown }>): Promise<Record<string, string>> {
  const { status, body } = await answer;
  if (status !== 201 || typeof body !== 'object' || body === null || !('id' in body) || typeof body.id !== 'string') {
    throw new Error(`a fixture was not created: ${status} ${JSON.stringify(body)}`);
  }
  return { id: body.id };
}

/** Creates something as the project's member. */
export function member(project: TestProject, call: Call, path: string, body: unknown) {
  return call('POST', path, { token: project.users.member.token, body });
}

/** Creates something as the project's admin. */
export function admin(project: TestProject, call: Call, path: string, body: unknown) {
  return call('POST', path, { token: project.users.admin.token, body });
}
