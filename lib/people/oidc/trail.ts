import { actor, recordAudit } from '@/lib/core/audit/entry';
import type { SsoVisit } from './visit';

/** Records that a person gave a client access. The client's project sees it. */
export function recordConsent(
  { origin, person }: SsoVisit,
  client: { id: string; name: string; project_id: string },
): Promise<void> {
  return recordAudit(origin, {
    action: 'sso.consent',
    actor: actor(person),
    project_id: client.project_id,
    result: 'succeeded',
    status: 200,
    resource: { type: 'sso_client', id: client.id, name: client.name },
  });
}

/** Records that somebody else's client was tried. The client's project is told nothing of strangers. */
export function recordOutsider({ origin, person }: SsoVisit, clientId: string): Promise<void> {
  return recordAudit(origin, {
    action: 'sso.consent',
    actor: actor(person),
    project_id: null,
    result: 'refused',
    status: 403,
    code: 'FORBIDDEN',
    resource: { type: 'sso_client', id: clientId },
  });
}
