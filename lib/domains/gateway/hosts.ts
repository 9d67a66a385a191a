import { isIP } from 'node:net';
import { invalid } from '@/lib/core/api/errors';
import { type Sql, sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';

/** `own`: below the project's part of the gateway's domain. `outside`: the project must prove that it is its own. */
export type HostKind = 'own' | 'outside';

/** The suffix of the first label of function addresses. */
const FUNCTIONS = '--fn';

const isBelow = (host: string, parent: string) => host === parent || host.endsWith(`.${parent}`);

/** The host names of the platform itself. */
export function platformHosts(): string[] {
  const { baseUrl, backofficeUrl } = settings();
  return [baseUrl, backofficeUrl].map((url) => new URL(url).hostname);
}

/**
 * Tells whether a host belongs to a project by its name alone (services.md, section 3).
 * @throws ApiError 400 for hosts of the platform and of other projects, whatever the settings
 */
export function hostKind(slug: string, host: string): HostKind {
  const { gatewayDomain, s3 } = settings();
  if (isIP(host) !== 0 || /(^|\.)(0x[0-9a-f]*|\d+)$/.test(host)) throw invalid('host: an IP address cannot be a host.');
  if (isBelow(host, gatewayDomain)) {
    if (!isBelow(host, `${slug}.${gatewayDomain}`))
      throw invalid(`host: ${host} does not belong to this project, whose hosts end in .${slug}.${gatewayDomain}.`);
    if (host.split('.')[0]?.endsWith(FUNCTIONS))
      throw invalid(`host: names that end in ${FUNCTIONS} are reserved for functions.`);
    return 'own';
  }
  const reserved = ['localhost', 'internal', 'local', s3.domain, ...platformHosts()];
  if (reserved.some((name) => isBelow(host, name))) throw invalid(`host: ${host} belongs to the platform.`);
  return 'outside';
}

/** An SQL boolean: whether routes `r` of projects `p` may be served at their host. */
export function isHostOwned(): Sql {
  const own = `.${settings().gatewayDomain}`;
  return sql`(right('.' || r.host, length(p.slug) + ${own.length + 1}::int) = '.' || p.slug || ${own}::text
    OR EXISTS (SELECT FROM gateway_hosts h WHERE h.project_id = r.project_id AND h.host = r.host AND h.status = 'verified'))`;
}

/** The TXT record that proves to whom a host belongs. */
export const verificationOf = (host: string, projectId: string) => ({
  record: `_nephele.${host}`,
  value: `nephele-project=${projectId}`,
});
