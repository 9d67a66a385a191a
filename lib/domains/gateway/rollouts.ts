import { now } from '@/lib/clock';
import { auditInsert } from '@/lib/core/audit/entry';
import { signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { execute, query } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { bucketEnd } from '@/lib/core/devices/durations';
import { log } from '@/lib/log';
import { weightsAt, weightsOf, withWeights } from './rollout';
import type { RolloutState } from './schema';
import { type Health, type StoredBackend, type StoredRollout, trafficBy } from './view';

/** Fewer requests than these say little before a step is over. */
const ENOUGH_REQUESTS = 20;

type Running = {
  id: string;
  project_id: string;
  name: string;
  backends: StoredBackend[];
  health: Health;
  rollout: StoredRollout;
  before: Record<string, number>;
  step: number;
  revision: number;
  is_served: boolean;
  /** The time of the step is over. */
  is_over: boolean;
  requests: number | null;
  errors: number | null;
  bucket: number | null;
};

/** Moves the rollouts of a cell on, back or to their end. Each decision is one statement. */
export async function advanceRollouts(cell: string): Promise<void> {
  const running = await query<Running>(sql`
    SELECT r.id, r.project_id, r.name, r.backends, r.health, r.rollout, r.rollout_before AS before, r.rollout_step AS step, r.revision,
      r.served_revision = r.revision AS is_served,
      platform_now() >= r.rollout_step_at + (r.rollout ->> 'interval_s')::int * interval '1 second' AS is_over,
      seen.requests, seen.errors, seen.bucket
    FROM gateway_routes r LEFT JOIN LATERAL (
      ${raw(trafficBy("t.route_id = r.id AND t.at >= r.rollout_step_at AND t.backend = r.rollout ->> 'to'"))}) AS seen ON true
    WHERE r.cell_id = ${cell}::text AND r.rollout_state = 'running'`);
  for (const one of running) await decide(one);
}

async function decide(one: Running): Promise<void> {
  const { rollout, step, is_over, is_served } = one;
  const reason = complaint(one);
  if (reason !== null) return change(one, { state: 'rolled_back', weights: one.before, reason });
  if (!is_over || !is_served) return;
  if (step + 1 < rollout.steps.length)
    return change(one, {
      state: 'running',
      weights: weightsAt(one.before, rollout, step + 1),
      step: step + 1,
      reason: null,
    });
  return change(one, { state: 'completed', weights: weightsOf(one.backends), reason: null });
}

/** Why the new backend must not get more requests; null while it does well. */
function complaint({ rollout, is_over, health, ...seen }: Running): string | null {
  const requests = seen.requests ?? 0;
  const { to, abort_above_errors_percent, abort_above_p99_ms } = rollout;
  if (is_over && health[to]?.status === 'down') return `${to} is down.`;
  if (requests === 0 || (!is_over && requests < ENOUGH_REQUESTS)) return null;
  const errors = ((seen.errors ?? 0) / requests) * 100;
  if (errors > abort_above_errors_percent)
    return `${errors.toFixed(1)} % of ${requests} responses of ${to} were errors; the limit is ${abort_above_errors_percent} %.`;
  if (abort_above_p99_ms !== null && seen.bucket !== null && bucketEnd(seen.bucket) > abort_above_p99_ms)
    return `The 99th percentile of ${to} was ${bucketEnd(seen.bucket)} ms; the limit is ${abort_above_p99_ms} ms.`;
  return null;
}

type Decision = { state: RolloutState; weights: Record<string, number>; step?: number; reason: string | null };

const ACTIONS: Readonly<Record<RolloutState, string>> = {
  running: 'rollout_step',
  completed: 'rollout_complete',
  rolled_back: 'rollout_abort',
  stopped: 'rollout_stop',
};

/** Takes effect only if nobody has changed the route since it was read. */
async function change(one: Running, { state, weights, step = one.step, reason }: Decision): Promise<void> {
  const backends = withWeights(one.backends, weights);
  const details = { weights, step: step + 1, steps: one.rollout.steps.length, ...(reason === null ? {} : { reason }) };
  const changed = await execute(sql`
    WITH moved AS (
      UPDATE gateway_routes r SET backends = ${JSON.stringify(backends)}::jsonb, rollout_state = ${state}::text, rollout_step = ${step}::int,
        rollout_step_at = CASE WHEN ${state}::text = 'running' THEN platform_now() ELSE r.rollout_step_at END, rollout_reason = ${reason}::text,
        revision = r.revision + 1, updated_at = platform_now()
      WHERE r.id = ${one.id}::uuid AND r.revision = ${one.revision}::int AND r.rollout_state = 'running' RETURNING r.id, r.project_id
    ), noted AS (${event(one, `gateway_route.${ACTIONS[state]}`, details, sql`moved`)})
    ${hintInsert({ project_id: raw('project_id'), topic: 'gateway_route', resource_id: raw('id::text') }, raw('moved'))}`);
  if (changed === 0) return;
  if (state === 'rolled_back') log.warn({ route: one.id, name: one.name, reason }, 'a rollout went back');
  signalChange();
}

/** An entry of the activity that the platform causes itself. @param from one row if it happened */
function event({ id, project_id, name }: Running, action: string, details: Record<string, unknown>, from: Sql): Sql {
  return auditInsert(
    { at: now(), caller: undefined, address: null, request_id: null },
    {
      action,
      actor: { actor_type: 'host', actor_id: null, actor_name: 'the platform' },
      result: 'succeeded',
      status: 200,
      project_id,
      resource: { type: 'gateway_route', id, name },
      details,
      activity: true,
    },
    from,
  );
}
