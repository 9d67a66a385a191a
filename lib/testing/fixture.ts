import type { None } from '@/lib/core/domains/portal';
import type { TestProject } from './world';

/** What the suites for all domains need of one; `none` where it has nothing of the kind. */
export type DomainTesting = {
  /** How to make what a path with parameters addresses, by the beginning of the path. */
  fixtures: Readonly<Record<string, Fixture>> | None;
};

/** Path parameters that name something that exists in a project. */
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

/** Makes something as the project's member would. */
export function member(project: TestProject, call: Call, path: string, body: unknown) {
  return call('POST', path, { token: project.users.member.token, body });
}

/** Makes something as the project's admin would. */
export function admin(project: TestProject, call: Call, path: string, body: unknown) {
  return call('POST', path, { token: project.users.admin.token, body });
}
