import { z } from 'zod';
import { now } from '@/lib/clock';
import { findClient } from './clients';
import { claimsOfScope, findMember } from './members';
import { findRecord, hasKey } from './records';

const claimsParameter = z.object({
  userinfo: z.record(z.string(), z.unknown()).default({}),
  id_token: z.record(z.string(), z.unknown()).default({}),
});

/** The claims that a client names one by one (OpenID Connect Core 1.0, section 5.5). The library has checked the JSON. */
export function requestedClaims({ claims }: { claims?: unknown }): string[] {
  if (typeof claims !== 'string') return [];
  const { userinfo, id_token } = claimsParameter.parse(JSON.parse(claims));
  return [...Object.keys(userinfo), ...Object.keys(id_token)];
}

/** The scopes of a request, and those whose claims it names. */
function scopesOf({ scope, claims }: { scope?: unknown; claims?: unknown }): string[] {
  const named = requestedClaims({ claims });
  const ofClaims = Object.entries(claimsOfScope).filter(([, held]) => held.some((claim) => named.includes(claim)));
  return [...new Set([...String(scope).split(' '), ...ofClaims.map(([name]) => name)])];
}

/** What the consent page shows. */
export type PendingConsent = { uid: string; client: string; project: string; redirect_host: string; scopes: string[] };

/** The consent that a person is asked for; undefined when there is none or it is somebody else's. */
export async function pendingConsent(uid: string, userId: string): Promise<PendingConsent | undefined> {
  const interaction = await findRecord(hasKey('Interaction', uid));
  const expired = (interaction?.exp ?? 0) * 1000 <= now().getTime();
  if (interaction?.prompt?.name !== 'consent' || interaction.session?.accountId !== userId || expired) return undefined;
  const params = interaction.params ?? {};
  const { client_id, redirect_uri } = params;
  const client = typeof client_id === 'string' ? await findClient(client_id) : undefined;
  const member = client && (await findMember(client.id, userId));
  if (!member || typeof redirect_uri !== 'string') return undefined;
  return {
    uid,
    client: client.name,
    project: member.project_name,
    redirect_host: new URL(redirect_uri).host,
    scopes: scopesOf(params),
  };
}
