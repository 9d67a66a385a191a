import type { IncomingMessage, ServerResponse } from 'node:http';
import { mustChangePassword } from '@/lib/core/api/caller';
import { ApiError } from '@/lib/core/api/errors';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { platformPaths } from '@/lib/platform-paths';
import { findClient, type RegisteredClient } from './clients';
import { requestedClaims } from './consent';
import { OIDC_PATH } from './issuer';
import type { Provider } from './library';
import { findMember } from './members';
import { recordConsent, recordOutsider } from './trail';
import type { SsoVisit } from './visit';

type Exchange = { provider: Provider; visit: SsoVisit; request: IncomingMessage; response: ServerResponse };
type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** When the person of this portal session proved who they are, and by what (RFC 8176). */
async function signInFacts(sessionId: string): Promise<{ at: Date; amr: string[] } | undefined> {
  const row = await queryOne<{ created_at: Date; second_factor: boolean }>(sql`
    SELECT s.created_at, coalesce(u.totp_activated_at <= s.created_at, false) AS second_factor
    FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = ${sessionId}::uuid`);
  return row && { at: row.created_at, amr: row.second_factor ? ['pwd', 'mfa'] : ['pwd'] };
}

/**
 * Takes a sign-in to an application one step further: to the portal's sign-in, to the consent page, or back to the
 * application.
 */
export async function advance(exchange: Exchange): Promise<void> {
  const { provider, visit, request, response } = exchange;
  const interaction = await provider.interactionDetails(request, response);
  const { person } = visit;
  const back = `${OIDC_PATH}/interaction/${interaction.uid}`;
  const facts = person && (await signInFacts(person.session_id));
  if (!person || !facts || facts.at.getTime() < earliestSignIn(interaction)) {
    return redirect(response, platformPaths.signIn(back, { again: person !== undefined }));
  }
  if (mustChangePassword(person)) return redirect(response, platformPaths.initialPassword(back));
  const client = await clientOf(interaction);
  if (!client || !(await findMember(client.id, person.user_id))) {
    await recordOutsider(visit, String(interaction.params.client_id));
    const error_description = 'the user is not a member of the project';
    return provider.interactionFinished(request, response, { error: 'access_denied', error_description });
  }
  if (interaction.prompt.name === 'consent') return redirect(response, platformPaths.consent(interaction.uid));
  const login = { accountId: person.user_id, ts: Math.floor(facts.at.getTime() / 1000), amr: facts.amr };
  return provider.interactionFinished(request, response, { login });
}

/** Since when the user must have signed in: since the request for `prompt=login`, or at most `max_age` seconds before it. */
function earliestSignIn({ prompt, params, iat }: Interaction): number {
  if (prompt.reasons.includes('login_prompt')) return iat * 1000;
  return params.max_age === undefined ? 0 : (iat - Number(params.max_age)) * 1000;
}

/**
 * What the person decided on the consent page.
 * @returns where the browser goes on
 * @throws ApiError 401, 403
 */
export async function decide(exchange: Exchange, granted: boolean): Promise<string> {
  const { provider, visit, request, response } = exchange;
  const interaction = await provider.interactionDetails(request, response);
  const { person } = visit;
  if (
    !person ||
    mustChangePassword(person) ||
    interaction.prompt.name !== 'consent' ||
    interaction.session?.accountId !== person.user_id
  ) {
    throw new ApiError('UNAUTHENTICATED', 'This sign-in has expired. Start again from the application.');
  }
  const client = await clientOf(interaction);
  if (!client || !(await findMember(client.id, person.user_id))) {
    await recordOutsider(visit, String(interaction.params.client_id));
    throw new ApiError('FORBIDDEN', 'You are not a member of the project that this application belongs to.');
  }
  if (!granted) {
    return provider.interactionResult(request, response, {
      error: 'access_denied',
      error_description: 'the user refused',
    });
  }
  const grant =
    (interaction.grantId === undefined ? undefined : await provider.Grant.find(interaction.grantId)) ??
    new provider.Grant({ accountId: person.user_id, clientId: client.id });
  grant.addOIDCScope(String(interaction.params.scope));
  grant.addOIDCClaims(requestedClaims(interaction.params));
  const grantId = await grant.save();
  await recordConsent(visit, client);
  return provider.interactionResult(request, response, { consent: { grantId } });
}

async function clientOf({ params }: Interaction): Promise<RegisteredClient | undefined> {
  return typeof params.client_id === 'string' ? findClient(params.client_id) : undefined;
}

/** Sends a browser on with a GET. */
export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { Location: location, 'Cache-Control': 'no-store' }).end();
}
