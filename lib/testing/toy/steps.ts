import { query, queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { deviceDelete } from '@/lib/core/devices/device';
import { withChildren } from '@/lib/core/operations/children';
import type { NewOperation } from '@/lib/core/operations/enqueue';
import {
  again,
  type CellStep,
  done,
  failure,
  goTo,
  type OperationSteps,
  operationSteps,
  type Step,
} from '@/lib/core/operations/steps';
import { ifAdmitted } from '@/lib/core/quota/commit';
import { portsReleased } from '@/lib/domains/network/ports';
import { engineOf } from '@/lib/engines/engines';
import { forgetCertificates } from '@/lib/hosts/certificates/certificates';
import type { ServiceSource } from '@/lib/hosts/services/engine';
import { countToyEgress } from './egress';
import { memberSpec, memoryMbOf } from './member-spec';
import {
  createToyKind,
  deleteMemberKind,
  deleteToyKind,
  ensureMemberKind,
  upgradeMemberKind,
  upgradeToyKind,
} from './operations';

/** Called at the start of a stage, for tests that kill the process there. */
export type Hook = (point: string) => void;

type Member = { id: string; ordinal: number; cell_id: string; is_active: boolean };

const membersOf = (toyId: string) =>
  query<Member>(sql`SELECT m.id, m.ordinal, t.cell_id, t.active_member = m.ordinal AS is_active
    FROM toy_members m JOIN toys t ON t.id = m.toy_id WHERE t.id = ${toyId}::uuid ORDER BY m.ordinal`);

async function memberOf(id: string): Promise<{ id: string; cell_id: string; version: number }> {
  const found = await queryOne<{ id: string; cell_id: string; version: number }>(
    sql`SELECT m.id, t.cell_id, m.version FROM toy_members m JOIN toys t ON t.id = m.toy_id WHERE m.id = ${id}::uuid`,
  );
  if (!found) throw new Error(`member ${id} is gone`);
  return found;
}

const member = (id: string, change: Sql): Sql =>
  sql`UPDATE toy_members SET ${change} FROM verdict WHERE verdict.ok AND toy_members.id = ${id}::uuid`;
const toy = (id: string, change: Sql): Sql =>
  sql`UPDATE toys SET ${change}, updated_at = platform_now() FROM verdict WHERE verdict.ok AND toys.id = ${id}::uuid`;

/** The services of a cell: all members that were started once. */
export const toyServices: ServiceSource = {
  stopOrder: 10,
  countEgress: countToyEgress,
  async wantedServices(cell) {
    const rows = await query<{ id: string; busy: boolean }>(sql`
      SELECT m.id, NOT m.running OR EXISTS (SELECT FROM operations o WHERE o.resource_id = m.id AND o.status IN ('pending', 'running')) AS busy
      FROM toy_members m JOIN toys t ON t.id = m.toy_id WHERE t.cell_id = ${cell}::text`);
    const wanted = await Promise.all(rows.map(async ({ id, busy }) => ({ spec: await memberSpec(id), isBusy: busy })));
    return wanted.flatMap(({ spec, isBusy }) => (spec ? [{ spec, isBusy }] : []));
  },
};

/** The reservations of members, computed from their own rows, to compare with the ledger. */
export const toyRoom: Sql = sql`SELECT t.cell_id, m.id AS device_id, 'memory_mb' AS kind, m.version * ${memoryMbOf(1)}::int AS amount
  FROM toy_members m JOIN toys t ON t.id = m.toy_id`;

/** The steps of toys and their members. */
export function toySteps(hook: Hook = () => {}): OperationSteps[] {
  /** Continues when each of these members has done its part; a failed member fails the toy. */
  async function together<const Stage extends string>(
    step: Step<unknown>,
    chosen: (member: Member) => boolean,
    order: (member: Member) => NewOperation,
    next: Stage,
  ) {
    hook(`${step.operation.kind}:${step.operation.stage}`);
    const members = (await membersOf(step.operation.resource_id)).filter(chosen);
    const children = Object.fromEntries(members.map((one) => [`${step.operation.stage} ${one.ordinal}`, order(one)]));
    return withChildren(step, { children, waits_for: 'its members' }, (ended) => {
      const lost = ended.find(({ status }) => status !== 'succeeded');
      return lost ? failure(`${lost.name}: ${lost.error}`) : goTo(next);
    });
  }
  const everyone = () => true;
  const ensure = (one: Member) => ensureMemberKind.start(one.id, {}, one);

  async function run<const Stage extends string>(step: CellStep<unknown>, next: Stage) {
    hook(`${step.operation.kind}:run`);
    const spec = await memberSpec(step.operation.resource_id);
    if (!spec) return failure('The member is gone.');
    const settlement = await engineOf(step.cell).services.ensureService(spec);
    return settlement.settled ? goTo(next) : again(settlement.again_ms, { waits_for: settlement.waits_for });
  }

  async function answer(step: CellStep<unknown>) {
    hook(`${step.operation.kind}:answer`);
    const id = step.operation.resource_id;
    if (!(await engineOf(step.cell).services.isHealthy(id)))
      return again(200, { waits_for: 'an answer of its server' });
    return done({ rows: { running: member(id, sql`running = true`) } });
  }

  const inError = async ({ operation }: Step<unknown>, reason: string) =>
    done({ rows: { failed: toy(operation.resource_id, sql`status = 'error', status_reason = ${reason}::text`) } });
  const memberFailed = async () => done();

  return [
    operationSteps(
      createToyKind,
      {
        members: (step) => together(step, everyone, ensure, 'open'),
        async open({ operation }) {
          hook('toy.create:open');
          return done({ rows: { active: toy(operation.resource_id, sql`status = 'active'`) } });
        },
      },
      { failed: inError },
    ),
    operationSteps(
      upgradeToyKind,
      {
        standby: (step) =>
          together(
            step,
            ({ is_active }) => !is_active,
            (one) => upgradeMemberKind.start(one.id, step.input, one),
            'hand_over',
          ),
        async hand_over({ operation }) {
          hook('toy.upgrade:hand_over');
          return goTo('take_over', {
            rows: {
              // Idempotent: a second run finds the new version already active.
              handed_over: sql`UPDATE toys SET active_member = m.ordinal, updated_at = platform_now() FROM verdict, toy_members m
                WHERE verdict.ok AND toys.id = ${operation.resource_id}::uuid AND m.toy_id = toys.id AND m.ordinal <> toys.active_member`,
            },
          });
        },
        // The formerly active member releases the address, the other one takes it.
        take_over: (step) => together(step, everyone, ensure, 'former'),
        former: (step) =>
          together(
            step,
            ({ is_active }) => !is_active,
            (one) => upgradeMemberKind.start(one.id, step.input, one),
            'finish',
          ),
        async finish({ operation, input }) {
          hook('toy.upgrade:finish');
          return done({
            rows: { active: toy(operation.resource_id, sql`status = 'active', version = ${input.version}::int`) },
          });
        },
      },
      { failed: inError },
    ),
    operationSteps(
      deleteToyKind,
      {
        members: (step) => together(step, everyone, (one) => deleteMemberKind.start(one.id, {}, one), 'remove'),
        async remove({ operation }) {
          hook('toy.delete:remove');
          const { resource_id: id, project_id } = operation;
          return done({
            rows: {
              ...portsReleased(id, project_id),
              certificates: forgetCertificates(id, ifAdmitted),
              toy: sql`DELETE FROM toys USING verdict WHERE verdict.ok AND toys.id = ${id}::uuid`,
              device: deviceDelete(id),
            },
            release: true,
          });
        },
      },
      { failed: inError },
    ),
    operationSteps(
      ensureMemberKind,
      { run: (step) => run(step, 'answer'), answer },
      { failed: memberFailed, concurrency: 4 },
    ),
    operationSteps(
      upgradeMemberKind,
      {
        async reserve({ operation, input }) {
          hook('toy_member.upgrade:reserve');
          const { id, cell_id: cell, version } = await memberOf(operation.resource_id);
          return goTo('run', {
            needs: [{ cell, device: id, amounts: { memory_mb: memoryMbOf(input.version) - memoryMbOf(version) } }],
            waits_for: `room for ${memoryMbOf(input.version)} MB of memory`,
            rows: { version: member(operation.resource_id, sql`version = ${input.version}::int, running = false`) },
          });
        },
        run: (step) => run(step, 'answer'),
        answer,
      },
      { failed: memberFailed },
    ),
    operationSteps(
      deleteMemberKind,
      {
        async remove({ operation, cell }) {
          hook('toy_member.delete:remove');
          const { resource_id: id, project_id } = operation;
          await engineOf(cell).services.removeService(id);
          return done({
            rows: {
              ...portsReleased(id, project_id),
              member: sql`DELETE FROM toy_members USING verdict WHERE verdict.ok AND toy_members.id = ${id}::uuid`,
              device: deviceDelete(id),
            },
            release: true,
          });
        },
      },
      { failed: memberFailed },
    ),
  ];
}
