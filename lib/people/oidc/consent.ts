import { now } from '@/lib/clock';
import { findClient } from './clients';
import { findMember } from './members';
import { findRecord, hasKey } from './records';

/** What the consent page shows. */
export type PendingConsent = { uid: string; client: string; project: string; redirect_host: string; scopes: string[] };

/** The consent that a person is asked for; undefined when there is none or it is somebody else's. */
export async function pendingConsent(uid: string, userId: string): Promise<PendingConsent | undefined> {
  const interaction = await findRecord(hasKey('Interaction', uid));
  const expired = (interaction?.exp ?? 0) * 1000 <= now().getTime();
  if (interaction?.prompt?.name !== 'consent' || interaction.session?.accountId !== userId || expired) return undefined;
  const { client_id, redirect_uri, scope } = interaction.params ?? {};
  const client = typeof client_id === 'string' ? await findClient(client_id) : undefined;
  const member = client && (await findMember(client.id, userId));
  if (!member || typeof redirect_uri !== 'string') return undefined;
  return {
    uid,
    client: client.name,
    project: member.project_name,
    redirect_host: new URL(redirect_uri).host,
    scopes: String(scope).split(' '),
  };
}
