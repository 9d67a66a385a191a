import { type Caller, callerKey } from '@/lib/core/api/caller';
import { type Call, endpoint, type Reply } from '@/lib/core/api/endpoint';
import { ApiError } from '@/lib/core/api/errors';
import { decide } from '@/lib/core/api/policy';
import { accessCheck, eventReply, eventStream } from './event-stream';
import type { Audience } from './hub';
import { changeEvents } from './stream';

/** A portal needs one stream per browser. */
const MOST_PER_CALLER = 16;

const tag = 'Events';
const description =
  'Server-sent events. `resync` comes first, and whenever events may have been missed: `{"version"}`, the server’s ' +
  'version. `hint` names a changed resource: `{"topic", "resource_id"}`; read the resource for details. The stream ends ' +
  'with the caller’s session, token or membership.';

/** Change hints for open pages of a project. */
export const eventEndpoints = [
  endpoint({
    method: 'GET',
    path: '/events',
    operation_id: 'streamEvents',
    summary: 'Follow changes in the project',
    description: `${description} While the project is suspended, a signed-in user hears only of its suspension and resumption.`,
    tag,
    access: 'any',
    responses: { 200: { stream: 'text/event-stream' } },
    handle: (call, { headers }) => reply(call, headers, tenantAudiences),
  }),
];

/** Change hints of the whole platform, for the back office. */
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
    handle: (call, { headers }) => reply(call, headers, () => ['platform']),
  }),
];

/**
 * The audiences of a tenant's stream. Pages of a suspended project must learn when it is resumed.
 * @throws ApiError 403 for a person without a project
 */
function tenantAudiences(caller: Caller): Audience[] {
  if (caller.kind === 'administrator' || !caller.membership) throw refusal(caller);
  const { project_id, project_status } = caller.membership;
  const project: Audience = project_status === 'active' ? `project:${project_id}` : `standing:${project_id}`;
  return caller.kind === 'user' ? [project, `person:${caller.user_id}`] : [project];
}

function refusal(caller: Caller): ApiError {
  const decision = decide(caller, 'reader');
  return new ApiError(decision.allowed ? 'FORBIDDEN' : decision.code, decision.reason);
}

function reply(call: Call, headers: Headers, audiencesOf: (caller: Caller) => Audience[]): Reply<Response> {
  const { caller, endpoint, signal } = call;
  if (!caller) throw new Error(`${endpoint.operation_id} needs a caller`);
  const options = {
    key: callerKey(caller),
    most: MOST_PER_CALLER,
    refusal: (open: number) => `You have ${open} open event streams; close one first.`,
    stillAllowed: accessCheck(call, headers, (of) => audiencesOf(of).join()),
    signal,
  };
  return eventReply(eventStream(options, changeEvents(audiencesOf(caller))));
}
