import { callerKey } from '@/lib/core/api/caller';
import { type Call, endpoint, Reply } from '@/lib/core/api/endpoint';
import { ApiError } from '@/lib/core/api/errors';
import { decide } from '@/lib/core/api/policy';
import { authenticate } from '@/lib/people/identity/authenticate';
import type { Audience } from './hub';
import { streamEvents } from './stream';

const tag = 'Events';
const description =
  'Server-sent events. `resync` comes first, and whenever events may have been missed: `{"version"}`, the server’s ' +
  'version. `hint` names a changed resource: `{"topic", "resource_id"}`; read the resource for details. The stream ends ' +
  'with the caller’s session, token or membership.';

/** Hints of what changes, for open pages. */
export const eventEndpoints = [
  endpoint({
    method: 'GET',
    path: '/events',
    operation_id: 'streamEvents',
    summary: 'Follow changes in the project',
    description,
    tag,
    access: 'reader',
    responses: { 200: { stream: 'text/event-stream' } },
    handle: (call, { headers }) => {
      const { caller, project_id } = call;
      const project: Audience = `project:${project_id}`;
      return reply(call, headers, caller.kind === 'user' ? [project, `person:${caller.user_id}`] : [project]);
    },
  }),
];

/** The same for the back office, of the whole platform. */
export const platformEventEndpoints = [
  endpoint({
    method: 'GET',
    path: '/events',
    realm: 'backoffice',
    operation_id: 'streamPlatformEvents',
    summary: 'Follow changes on the platform',
    description,
    tag: 'Back office: events',
    access: 'administrator',
    responses: { 200: { stream: 'text/event-stream' } },
    handle: (call, { headers }) => reply(call, headers, ['platform']),
  }),
];

function reply(call: Call, headers: Headers, audiences: Audience[]): Reply<Response> {
  const { caller, endpoint, signal } = call;
  if (!caller) throw new Error(`${endpoint.operation_id} needs a caller`);
  const key = callerKey(caller);
  const stream = streamEvents({
    audiences,
    caller: key,
    signal,
    stillAllowed: () => isStillAllowed(call, headers, key),
  });
  // Whatever compresses or caches on the way would hold hints back.
  const sent = { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-cache, no-transform' };
  return new Reply(new Response(stream, { headers: { ...sent, 'X-Accel-Buffering': 'no' } }), { headers: sent });
}

/** The credential is checked as for a new request; the project that it leads to must be the same as well. */
async function isStillAllowed({ endpoint }: Call, headers: Headers, key: string): Promise<boolean> {
  try {
    const caller = await authenticate(headers, endpoint.realm);
    return caller !== undefined && decide(caller, endpoint.access).allowed && callerKey(caller) === key;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
