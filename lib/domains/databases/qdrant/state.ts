import { z } from 'zod';
import type { Cluster, Member } from '../cluster/clusters';
import { type Failure, MemberError } from '../cluster/member-error';
import { ask, command } from '../single/socket';

const memberRole = z.object({
  result: z.object({
    leads: z.boolean(),
    /** Changes wait in the middle of a switch. */
    is_stopped: z.boolean(),
    follows: z.string().nullable(),
    /** Requests that a switch has refused since its start. */
    refused: z.int(),
    /** What has changed on this member, as a history and a place in it. Null while nobody follows. */
    epoch: z.string().nullable(),
    number: z.int(),
    /** How far it has followed another one. */
    following: z.object({
      epoch: z.string().nullable(),
      number: z.int(),
      /** Collections that are still copied, compared or indexed. */
      pending: z.int(),
      is_linked: z.boolean(),
      trouble: z.string().nullable(),
      /** Whether the trouble is something that its version does not know. */
      is_refused: z.boolean(),
    }),
  }),
});
export type MemberRole = z.output<typeof memberRole>['result'];

/** A member as it answered just now. */
export type Seen = { member: Member; role: MemberRole | Failure };

const parse = (text: string): MemberRole => memberRole.parse(JSON.parse(text)).result;

/** @throws MemberError while the member does not answer */
export const roleOf = async (
  cluster: Pick<Cluster, 'cell_id'>,
  member: Pick<Member, 'id'>,
  timeoutMs: number,
): Promise<MemberRole> => parse(await ask(cluster, member, '/platform/role', timeoutMs));

/** Asks all members at once. One that does not answer within `timeoutMs` is silent. */
export const rolesOf = (cluster: Cluster, members: readonly Member[], timeoutMs: number): Promise<Seen[]> =>
  Promise.all(
    members.map(async (member) => {
      try {
        return { member, role: await roleOf(cluster, member, timeoutMs) };
      } catch (error) {
        if (error instanceof MemberError) return { member, role: error.failure };
        throw error;
      }
    }),
  );

/** Changes that a member lacks of the one it follows; null where it does not follow, or has not yet copied everything. */
export function lagBehind(role: MemberRole | Failure, leader: Pick<Member, 'ip'>, leading: MemberRole | Failure) {
  if (typeof role === 'string' || typeof leading === 'string' || role.follows !== leader.ip) return null;
  const { epoch, number, pending, is_linked } = role.following;
  if (!is_linked || pending > 0 || epoch === null || epoch !== leading.epoch) return null;
  return Math.max(0, leading.number - number);
}

/** Switches take longer than questions: changes that have begun are waited for. */
const CHANGE_MS = 7_000;

const change = async (cluster: Pick<Cluster, 'cell_id' | 'moves'>, member: Pick<Member, 'id'>, path: string) =>
  parse(await command(cluster, member, `/platform/${path}`, CHANGE_MS));

/** Lets changes wait, once those that have begun have ended. */
export const stop = (cluster: Cluster, member: Member): Promise<MemberRole> =>
  change(cluster, member, `stop?term=${cluster.moves}`);

/** Has a member take changes; those that waited go on. */
export const lead = (cluster: Cluster, member: Member): Promise<MemberRole> =>
  change(cluster, member, `lead?term=${cluster.moves}`);

/** Has a member follow another one, and pass on to it what clients ask. */
export const follow = (cluster: Cluster, member: Member, leader: Pick<Member, 'ip'>): Promise<MemberRole> =>
  change(cluster, member, `follow?term=${cluster.moves}&leader=${leader.ip}`);
