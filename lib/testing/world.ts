import { now } from '@/lib/clock';
import { type Role, roles } from '@/lib/core/api/caller';
import type { AnyEndpoint } from '@/lib/core/api/endpoint';
import { serve } from '@/lib/core/api/kernel';
import { newId } from '@/lib/core/db/id';
import { prisma } from '@/lib/core/db/prisma';
import { authenticate } from '@/lib/people/identity/authenticate';
import { signToken } from '@/lib/people/identity/session-token';
import { endpoints } from '@/lib/platform/endpoints';

/** A project with one signed-in person per role. */
export type TestProject = { id: string; slug: string; users: Record<Role, TestUser> };
export type TestUser = { id: string; email: string; token: string };

const DAY_MS = 24 * 60 * 60 * 1000;

/** A project with the default quotas, and an admin, a member and a reader in it, each with an access token. */
export async function createProject(name = 'acme'): Promise<TestProject> {
  const at = now();
  const id = newId();
  const slug = `${name}-${id.slice(-12)}`;
  await prisma().project.create({
    data: { id, name, slug, status: 'active', created_at: at, updated_at: at, account: { create: {} } },
  });
  const users = await Promise.all(roles.map((role) => createMember(id, role)));
  const [reader, member, admin] = users;
  if (!reader || !member || !admin) throw new Error('a role is missing');
  return { id, slug, users: { reader, member, admin } };
}

/** A person with a role in a project, signed in. */
export async function createMember(projectId: string, role: Role): Promise<TestUser> {
  const user = await createUser(`${role}-${newId().slice(-12)}@example.test`);
  const at = now();
  await prisma().membership.create({
    data: { project_id: projectId, user_id: user.id, status: 'active', created_at: at, updated_at: at },
  });
  await prisma().roleAssignment.create({ data: { project_id: projectId, user_id: user.id, role, created_at: at } });
  return user;
}

/** A person without a project, signed in to the realm. */
export async function createUser(email: string, realm: 'tenant' | 'backoffice' = 'tenant'): Promise<TestUser> {
  const at = now();
  const id = newId();
  await prisma().user.create({
    data: {
      id,
      email,
      name: email.split('@')[0] ?? email,
      password_hash: '',
      administrator: realm === 'backoffice',
      created_at: at,
      updated_at: at,
    },
  });
  return { id, email, token: await signIn(id, realm) };
}

/** An access token of a new session, without a password. */
export async function signIn(userId: string, realm: 'tenant' | 'backoffice' = 'tenant'): Promise<string> {
  const at = now();
  const sid = newId();
  const expires_at = new Date(at.getTime() + DAY_MS);
  const { session_epoch } = await prisma().user.findUniqueOrThrow({ where: { id: userId } });
  await prisma().session.create({
    data: {
      id: sid,
      user_id: userId,
      realm,
      kind: 'access_token',
      epoch: session_epoch,
      address: '127.0.0.1',
      user_agent: 'test',
      created_at: at,
      last_seen_at: at,
      expires_at,
    },
  });
  return signToken(realm, { sub: userId, sid }, at, expires_at);
}

export type Answer = { status: number; headers: Headers; text: string; body: unknown };

/** An API client in this process: no socket, but every step of the kernel. */
export function api(served: readonly AnyEndpoint[] = endpoints) {
  const app = serve(served, authenticate);
  return async (
    method: string,
    path: string,
    options: {
      token?: string | undefined;
      body?: unknown;
      headers?: Record<string, string>;
      address?: string;
      /** Aborts when the caller leaves. */
      signal?: AbortSignal;
    } = {},
  ): Promise<Answer> => {
    const headers = new Headers(options.headers);
    if (options.token) headers.set('Authorization', `Bearer ${options.token}`);
    const raw =
      typeof options.body === 'string' || options.body instanceof Uint8Array || options.body instanceof ReadableStream;
    if (options.body !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
    const url = `http://localhost${path.startsWith('/admin') ? path : `/api/v1${path}`}`;
    const body = options.body === undefined ? null : raw ? (options.body as BodyInit) : JSON.stringify(options.body);
    const request = new Request(url, {
      method,
      headers,
      body,
      signal: options.signal ?? null,
      duplex: 'half',
    } as RequestInit);
    const incoming = { socket: { remoteAddress: options.address ?? '127.0.0.1' } };
    const response = await app.fetch(request, { incoming });
    const text = await textOf(response);
    const json = (response.headers.get('content-type') ?? '').includes('json') && text !== '';
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined };
  };
}

/** The body; for an endless stream, its beginning. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) return response.text();
  for await (const chunk of response.body) return new TextDecoder().decode(chunk);
  return '';
}
