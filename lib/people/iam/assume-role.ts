import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { includesRole, type ProjectStatus, type Role, roles, type Workload } from '@/lib/core/api/caller';
import type { Call } from '@/lib/core/api/endpoint';
import { ApiError } from '@/lib/core/api/errors';
import { type AuditFacts, recordAudit } from '@/lib/core/audit/entry';
import { isId } from '@/lib/core/db/id';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { OutgoingError } from '@/lib/core/net/checked-fetch';
import { guardAttempt } from '@/lib/people/identity/attempts';
import { signToken } from '@/lib/people/identity/session-token';
import { unmetClaim } from './conditions';
import { issuerKeys } from './issuer-keys';
import type { AssumeRole, Conditions, Credentials } from './schema';

/** Asymmetric signatures only: the key that verifies such a token cannot create one. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Tolerated difference between an issuer's clock and ours. */
const CLOCK_TOLERANCE_S = 30;
/** The longest issuer or subject: about twice the limit of OpenID Connect for a subject (255). */
const MOST_TEXT = 500;

type Provider = {
  id: string;
  issuer: string;
  audience: string;
  jwks_uri: string | null;
  conditions: Conditions;
  max_role: Role;
};
type Project = { id: string; status: ProjectStatus; providers: Provider[] };
type Verified = { provider: Provider; subject: string };

/**
 * Exchanges a workload identity token for project credentials (in the spirit of RFC 8693; spec 5.5). They end at
 * `expires_at`, or with the provider.
 * @throws ApiError 401, the same for any fault of the token and for an unknown project; 403 when the token is valid but
 *   the role too high or the project suspended; 429 after too many failures
 */
export function assumeRole(call: Call, input: AssumeRole): Promise<Credentials> {
  const attempter = { account: `workload of ${input.project_id}`, address: call.address };
  return guardAttempt(attempter, () => exchange(call, input));
}

async function exchange(call: Call, input: AssumeRole): Promise<Credentials> {
  const claimed = unverifiedClaims(input.web_identity_token);
  const project = await findProject(input.project_id, claimed?.iss);
  const refuse = (error: ApiError, details: Record<string, unknown>, provider?: Provider) =>
    refused(call, error, { project_id: project?.id ?? null, role: input.role, ...details, provider });

  const { verified, reasons } = await verifyAll(project?.providers ?? [], input.web_identity_token, call.at);
  const [first] = verified;
  if (!project || !first) {
    const reason = reasons.join(' ') || (claimed ? 'No identity provider trusts this issuer.' : 'This is not a JWT.');
    throw await refuse(
      new ApiError(
        'INVALID_CREDENTIALS',
        'The token was not accepted for this project. The project’s audit log has the reason.',
      ),
      { reason, issuer: claimed?.iss, claimed_subject: claimed?.sub },
    );
  }
  const { subject } = first;
  if (project.status !== 'active') {
    const suspended = 'The project is suspended. Contact your platform administrator.';
    throw await refuse(new ApiError('TENANT_SUSPENDED', suspended), { subject }, first.provider);
  }
  const able = verified.find(({ provider }) => includesRole(provider.max_role, input.role));
  if (!able) {
    const most = [...roles].reverse().find((role) => verified.some(({ provider }) => provider.max_role === role));
    throw await refuse(
      new ApiError('FORBIDDEN', `role: this workload may assume ${most} at most.`),
      { subject },
      first.provider,
    );
  }
  return issue(call, input, project, able);
}

async function issue(call: Call, input: AssumeRole, project: Project, verified: Verified): Promise<Credentials> {
  const { provider, subject } = verified;
  const { role, duration_s } = input;
  // A JWT has a resolution of whole seconds.
  const expires = new Date((Math.floor(call.at.getTime() / 1000) + duration_s) * 1000);
  const access_token = await signToken('workload', { sub: subject, provider_id: provider.id, role }, call.at, expires);
  const membership = { project_id: project.id, project_status: project.status, role };
  const caller: Workload = { kind: 'workload', provider_id: provider.id, subject, expires_at: expires, membership };
  await record({ ...call, caller }, { result: 'succeeded', status: 200, project_id: project.id }, provider, {
    role,
    expires_at: expires.toISOString(),
  });
  call.record.audited = true;
  return { access_token, token_type: 'Bearer', expires_at: expires.toISOString() };
}

/** The project, if it exists, with its providers for this issuer. */
async function findProject(projectId: string, issuer: string | undefined): Promise<Project | undefined> {
  if (!isId(projectId)) return undefined;
  const rows = await query<
    { project_id: string; status: ProjectStatus } & (Provider | { [K in keyof Provider]: null })
  >(sql`
    SELECT p.id AS project_id, p.status, i.id, i.issuer, i.audience, i.jwks_uri, i.conditions, i.max_role
    FROM projects p LEFT JOIN identity_providers i ON i.project_id = p.id AND i.issuer = ${issuer ?? null}::text
    WHERE p.id = ${projectId}::uuid ORDER BY i.id`);
  const [found] = rows;
  if (!found) return undefined;
  const providers = rows.flatMap((row) => (row.id === null ? [] : [row]));
  return { id: found.project_id, status: found.status, providers };
}

/** The providers that accept the token, and the reasons why others reject it. */
async function verifyAll(
  providers: readonly Provider[],
  token: string,
  at: Date,
): Promise<{ verified: Verified[]; reasons: string[] }> {
  const verified: Verified[] = [];
  const reasons = new Set<string>();
  for (const provider of providers) {
    const outcome = await verify(provider, token, at);
    if (typeof outcome === 'string') reasons.add(outcome);
    else verified.push(outcome);
  }
  return { verified, reasons: [...reasons] };
}

async function verify(provider: Provider, token: string, at: Date): Promise<Verified | string> {
  try {
    const { payload } = await jwtVerify(token, issuerKeys(provider), {
      issuer: provider.issuer,
      audience: provider.audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: at,
    });
    const sub = usable(payload.sub);
    if (sub === undefined) return `The claim sub must be a string of 1 to ${MOST_TEXT} characters.`;
    const unmet = unmetClaim(provider.conditions, payload);
    return unmet === undefined ? { provider, subject: sub } : `The claim ${unmet} does not match its condition.`;
  } catch (error) {
    if (error instanceof errors.JOSEError) return `The token is not valid: ${error.message}.`;
    if (error instanceof OutgoingError) return `The issuer's keys could not be fetched: ${error.message}`;
    // Any other error is caused by the issuer's keys: malformed or too short.
    return `The token could not be verified with the issuer's keys: ${error}.`;
  }
}

/** The token's own claims, untrusted until its signature is verified. */
function unverifiedClaims(token: string): { iss: string | undefined; sub: string | undefined } | undefined {
  try {
    const { iss, sub }: JWTPayload = decodeJwt(token);
    return { iss: usable(iss), sub: usable(sub) };
  } catch {
    return undefined;
  }
}

/** Records a refusal for the admins of the project, if it exists. Returns the error to throw. */
async function refused(
  call: Call,
  error: ApiError,
  { project_id, provider, ...details }: Record<string, unknown> & { project_id: string | null; provider?: Provider },
): Promise<ApiError> {
  const { status, code } = error;
  await record(call, { result: 'refused', status, code, project_id }, provider, details);
  call.record.audited = true;
  return error;
}

function record(
  call: Call,
  facts: Pick<AuditFacts, 'result' | 'status' | 'code' | 'project_id'>,
  provider: Provider | undefined,
  details: Record<string, unknown>,
): Promise<void> {
  const resource = provider && { type: 'identity_provider', id: provider.id };
  return recordAudit(call, { action: 'sts.assume_role', ...facts, resource, details });
}

/** A claim that is safe to store and display. */
function usable(claim: unknown): string | undefined {
  const isText = typeof claim === 'string' && claim !== '' && claim.length <= MOST_TEXT;
  return isText && !/[\p{Cc}\p{Cs}]/u.test(claim) ? claim : undefined;
}
