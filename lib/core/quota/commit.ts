import type { Call } from '@/lib/core/api/endpoint';
import { ApiError, conflict, notFound, QuotaBreach } from '@/lib/core/api/errors';
import { keepAnswer, RacedByTwin } from '@/lib/core/api/idempotency';
import { auditAction } from '@/lib/core/audit/action';
import { projectOf } from '@/lib/core/audit/entry';
import { signalChange } from '@/lib/core/db/changes';
import { databaseError, queryOne } from '@/lib/core/db/pool';
import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import type { NewOperation } from '@/lib/core/operations/enqueue';
import { frozen } from '@/lib/money/budget/freeze';
import { frozenRefusal } from '@/lib/money/budget/state';
import { type Cap, capReached } from './caps';
import { type Dimension, dimensions } from './dimensions';
import { guarded, type Parts } from './guarded';
import { crowded, demandParts, type Need } from './needs';

export { ifAdmitted } from './guarded';

/**
 * The amount of a dimension that a resource claims. An amount in SQL can refer to columns of `target`, which is locked.
 */
export type Claim = { dimension: Dimension; amount: string | number | Sql };

/** A change that one statement writes completely or not at all. */
export type Write = {
  resource: { type: string; id: string; name?: string };
  /** The project whose rows change; default: the caller's. */
  project_id?: string | null;
  /** The topic of change hints; default: the resource's type. */
  topic?: string;
  /**
   * Selects and locks the row to change: `SELECT <boolean> AS allowed, <text> AS state, … FROM k JOIN … FOR UPDATE OF
   * …`. No row: 404. Not allowed: 409 that names the state. It joins `k`, so that the project's row is locked first.
   */
  target?: Sql;
  /** The refusal in a forbidden `state`: the message of a 409 ("deleted while it is attached"), or another error. */
  forbidden?: (state: string) => string | ApiError;
  /**
   * A uniqueness check, for a name or the like: `when` is an SQL boolean, `message` the text of the 409. `constraint` names the
   * constraint behind it, if the write can violate another one too.
   */
  taken?: { when: Sql; message: string; constraint?: string };
  /** Caps on resources outside the quota; the first one reached refuses with 409. */
  caps?: readonly Cap[];
  /** For deletes: the message of the 409 when other rows have come to refer to this one. */
  in_use?: string;
  /** Reservations in cells, given back when the resource's quota is released. Name the refusal in `room`. */
  needs?: readonly Need[];
  /** Checked last: refused if `needs` do not fit, or if `fits`, an SQL boolean over `target`, is false. */
  room?: { fits: Sql; refusal: ApiError };
  /** Refused while the budget is frozen. */
  freezable?: boolean;
  /** Locks the project's account and puts its current values in `k`, even if nothing else requires it. */
  locks?: boolean;
  /** Further statements by name, each depending on `verdict WHERE verdict.ok`. */
  rows: Record<string, Sql>;
  operation?: NewOperation;
  /**
   * For the audit entry: values, or an SQL expression of type jsonb that can refer to `target`. Never a secret value.
   */
  details?: Record<string, unknown> | Sql;
  /** The success answer, stored for repeats of the Idempotency-Key. */
  answer?: { status: number; body: unknown };
} & (
  | { claims?: readonly Claim[]; release?: never }
  /** Releases everything that the resource holds. Not together with claims: a resize claims the difference. */
  | { release?: true; claims?: never }
);

type Verdict = {
  project_id: string;
  ok: boolean;
  checked: boolean;
  missing: boolean;
  forbidden: boolean;
  state: string | null;
  taken: boolean;
  /** The first cap reached, counted from 1; 0: none. */
  capped: number;
  frozen: boolean;
  target: unknown;
} & (
  | { exceeded: null; limit_value: null; used_value: null }
  | { exceeded: Dimension; limit_value: string; used_value: string }
);

/** No reservation needed: always fits. */
const anywhere = {
  fits: raw('true'),
  refusal: new ApiError('CAPACITY_EXHAUSTED', 'The host has no capacity for this.'),
};

/**
 * Admission: checks quota and freeze, and writes rows, ledger, operation, audit entry, change hint and stored answer in
 * ONE statement (docs/decisions/0002). Its first part locks the project's row and reads its current values; all others
 * depend on the verdict, so parallel calls cannot pass a limit and a crash leaves all or nothing.
 *
 * @returns the locked `target` row as it was before
 * @throws ApiError 404, 409, 402, QuotaBreach 403 or 503 for lack of room, in this order of precedence
 */
export async function commit(call: Call, write: Write): Promise<unknown> {
  // The kernel records a refusal and needs the resource for it.
  call.record.resource = write.resource;
  const verdict = await run(admission(call, write), write);
  if (!verdict.ok) throw await refusal(call, verdict, write);
  call.record.audited = true;
  if (call.record.idempotency) call.record.idempotency.recorded = true;
  signalChange();
  return verdict.target;
}

/** The statement that `commit` runs. */
export function admission(call: Call, write: Write): Sql {
  const projectId = write.project_id === undefined ? projectOf(call) : write.project_id;
  const { needs = [] } = write;
  const claims = write.claims ?? [];
  // Operations lock the project too, so that a step's transition and a delete of its resource run one after the other.
  const locks =
    write.locks || claims.length > 0 || write.release || write.freezable || write.operation || write.caps?.length;
  const { idempotency } = call.record;
  const { target, operation, resource } = write;
  const guard: Parts = [
    ['target', target],
    ...demandParts(needs, target !== undefined),
    ['checks', checks(write, claims)],
    ['kept', idempotency && keepAnswer(call, write.answer, sql`checks WHERE checks.passed`)],
    [
      'verdict',
      idempotency
        ? sql`SELECT checks.*, checks.passed AND EXISTS (SELECT FROM kept) AS ok FROM checks`
        : sql`SELECT checks.*, checks.passed AS ok FROM checks`,
    ],
  ];
  return guarded({
    lock: { project_id: projectId, account: Boolean(locks) },
    guard,
    claims: claims.length > 0 ? { resource, dimensions: claims.map(({ dimension }) => dimension) } : undefined,
    needs,
    release: write.release ? { resource_id: resource.id } : undefined,
    rows: Object.entries(write.rows),
    operation: operation && { origin: call, start: operation },
    audit: { origin: call, facts: auditFacts(call, write) },
    hints: [{ topic: write.topic ?? resource.type, resource_id: resource.id, at: call.at }],
    returns: sql`project_id, ok, passed AS checked, missing, forbidden, state, taken, capped, frozen, exceeded, limit_value, used_value,
    ${target ? raw('(SELECT to_jsonb(target) FROM target)') : raw('NULL')} AS target`,
  });
}

/** One row with all obstacles and the amounts that the write claims. */
function checks(write: Write, claims: readonly Claim[]): Sql {
  const { room = anywhere, caps = [], needs = [] } = write;
  const reached = caps.map(({ held, most }, index) => sql`WHEN ${held} >= ${most}::int THEN ${raw(`${index + 1}`)}`);
  const amounts = claims.map(({ dimension, amount }) => sql`(${amount})::numeric AS ${raw(`claim_${dimension}`)}`);
  // A breach names the first exceeded dimension in the order of spec 2.1.
  const claimed = dimensions.filter((dimension) => claims.some((claim) => claim.dimension === dimension));
  const over = claimed.map((d) => raw(`WHEN claim_${d} > 0 AND k.${d}_used + claim_${d} > k.${d}_limit THEN '${d}'`));
  const pick = (part: 'limit' | 'used') =>
    claimed.length === 0
      ? raw('NULL::text')
      : sql`CASE exceeded ${join(
          claimed.map((d) => raw(`WHEN '${d}' THEN trim_scale(${d}_${part})`)),
          ' ',
        )} END::text`;
  const account = [raw('k.project_id'), ...claimed.map((d) => raw(`k.${d}_limit, k.${d}_used`))];
  const inner = sql`
    SELECT ${join(account, ', ')},
      ${write.target ? raw('target.allowed IS NULL') : raw('false')} AS missing,
      ${write.target ? raw('NOT coalesce(target.allowed, true)') : raw('false')} AS forbidden,
      ${write.target ? raw('target.state::text') : raw('NULL::text')} AS state,
      ${write.taken ? write.taken.when : raw('false')} AS taken,
      ${caps.length > 0 ? sql`CASE ${join(reached, ' ')} ELSE 0 END` : raw('0')} AS capped,
      ${write.freezable ? frozen : raw('false')} AS frozen,
      ${claimed.length > 0 ? sql`CASE ${join(over, ' ')} END` : raw('NULL::text')} AS exceeded,
      NOT (${room.fits})${needs.length > 0 ? sql` OR ${crowded(needs)}` : raw('')} AS crowded
      ${raw(claims.map(({ dimension }) => `, claim_${dimension}`).join(''))}
    FROM k ${write.target ? raw('LEFT JOIN target ON true') : raw('')}
    CROSS JOIN LATERAL (SELECT ${join(amounts, ', ')}) AS amounts`;
  // OFFSET 0 makes PostgreSQL compute the inner query once, not again for each reference.
  return sql`SELECT found.*, ${pick('limit')} AS limit_value, ${pick('used')} AS used_value,
    NOT missing AND NOT forbidden AND NOT taken AND capped = 0 AND NOT frozen AND exceeded IS NULL AND NOT crowded AS passed FROM (${inner} OFFSET 0) AS found`;
}

function auditFacts(call: Call, write: Write) {
  return {
    action: auditAction(call.endpoint),
    result: 'succeeded' as const,
    status: write.answer?.status ?? Number(Object.keys(call.endpoint.responses)[0]),
    resource: write.resource,
    details: write.details,
  };
}

async function run(statement: Sql, write: Write): Promise<Verdict> {
  try {
    const verdict = await queryOne<Verdict>(statement);
    if (verdict) return verdict;
  } catch (error) {
    const known = databaseError(error);
    // Lost a race for a name, or a referenced row was deleted meanwhile.
    if (known?.code === '23505' && write.taken && (write.taken.constraint ?? known.constraint) === known.constraint)
      throw conflict(write.taken.message);
    if (known && write.in_use !== undefined && ['23001', '23503'].includes(known.code)) throw conflict(write.in_use);
    if (known?.code === '23503') throw notFound('A resource named in the request');
    throw error;
  }
  throw notFound('The project');
}

async function refusal(call: Call, verdict: Verdict, write: Write): Promise<Error> {
  if (verdict.checked) return new RacedByTwin();
  const { room = anywhere } = write;
  const { type, name } = write.resource;
  const label = name ? `${type} ${name}` : `the ${type}`;
  if (verdict.missing) {
    return call.endpoint.realm === 'tenant' ? notFound(`The ${type}`) : notFound(`The ${type}`, '');
  }
  if (verdict.forbidden) {
    const state = verdict.state ?? 'in this state';
    const refused = write.forbidden?.(state) ?? `This is not possible while ${label} is ${state}.`;
    return typeof refused === 'string' ? conflict(refused) : refused;
  }
  if (write.taken && verdict.taken) return conflict(write.taken.message);
  const cap = write.caps?.[verdict.capped - 1];
  if (cap) return capReached(cap);
  if (verdict.frozen) return frozenRefusal(verdict.project_id);
  const { exceeded, limit_value, used_value } = verdict;
  if (exceeded === null) return room.refusal;
  return new QuotaBreach(
    `Quota exceeded for ${exceeded}: limit ${limit_value}, in use ${used_value}. Ask an administrator to raise ${exceeded}_limit.`,
  );
}
