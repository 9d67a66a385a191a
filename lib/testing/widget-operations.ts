import { z } from 'zod';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { withChildren } from '@/lib/core/operations/children';
import { platformOperationKind } from '@/lib/core/operations/kind';
import {
  done,
  failure,
  goTo,
  type OperationSteps,
  platformOperationSteps,
  type Step,
} from '@/lib/core/operations/steps';

/** How workers create and delete widgets: their machinery is a table that represents the outside world. */
export const createWidgetOperation = platformOperationKind({
  kind: 'widget.create',
  resource_type: 'widget',
  stages: ['disk', 'port', 'boot'],
  input: z.strictObject({ deadline_ms: z.number().optional() }),
  deadline_ms: 60_000,
});

export const deleteWidgetOperation = platformOperationKind({
  kind: 'widget.delete',
  resource_type: 'widget',
  stages: ['stop', 'remove'],
  input: z.strictObject({}),
  deadline_ms: 60_000,
  supersedes: true,
});

/** Creates other widgets as child operations, then the widget itself. `tolerates`: a member may fail. */
export const assembleOperation = platformOperationKind({
  kind: 'widget.assemble',
  resource_type: 'widget',
  stages: ['members', 'finish'],
  input: z.strictObject({ members: z.array(z.uuid()), tolerates: z.boolean().optional() }),
  deadline_ms: 60_000,
});

/** `made` counts creations of a part; a repeated step must not create it again. */
export async function createMachineryTable(): Promise<void> {
  await execute(
    sql`CREATE TABLE machinery (widget_id uuid, part text, made int NOT NULL, PRIMARY KEY (widget_id, part))`,
  );
}

async function ensurePart(id: string, part: string): Promise<void> {
  await execute(sql`INSERT INTO machinery VALUES (${id}::uuid, ${part}::text, 1) ON CONFLICT DO NOTHING`);
}

async function removePart(id: string, part: string): Promise<void> {
  await execute(sql`DELETE FROM machinery WHERE widget_id = ${id}::uuid AND part = ${part}::text`);
}

/** The existing parts of a widget. */
export async function partsOf(id: string): Promise<string[]> {
  const rows = await query<{ part: string }>(
    sql`SELECT part FROM machinery WHERE widget_id = ${id}::uuid AND made = 1 ORDER BY part`,
  );
  return rows.map(({ part }) => part);
}

const activated = (id: string) => sql`UPDATE widgets SET status = 'active', status_reason = NULL FROM verdict
  WHERE verdict.ok AND widgets.id = ${id}::uuid`;
const inError = (id: string, reason: string) => sql`UPDATE widgets SET status = 'error', status_reason = ${reason}::text
  FROM verdict WHERE verdict.ok AND widgets.id = ${id}::uuid`;

/** A point in a step, for tests that interfere: `disk:before` its external effect, or `disk:after` it. */
export type Hook = (point: string, step: Step<unknown>) => Promise<void> | void;

/** The steps of widgets, with a hook around the effect of each. */
export function widgetSteps(hook: Hook = () => {}, concurrency = 16): OperationSteps[] {
  const around = async (step: Step<unknown>, name: string, effect: () => Promise<void>) => {
    await hook(`${name}:before`, step);
    await effect();
    await hook(`${name}:after`, step);
  };
  const idOf = (step: Step<unknown>) => step.operation.resource_id;
  const ensure = (step: Step<unknown>, part: string) => around(step, part, () => ensurePart(idOf(step), part));
  const remove = (step: Step<unknown>, part: string, name: string) =>
    around(step, name, () => removePart(idOf(step), part));

  const create = platformOperationSteps(
    createWidgetOperation,
    {
      async disk(step) {
        await ensure(step, 'disk');
        return goTo('port');
      },
      async port(step) {
        await ensure(step, 'port');
        return goTo('boot', { log: 'The port has its address.' });
      },
      async boot(step) {
        await ensure(step, 'boot');
        return done({ rows: { active: activated(idOf(step)) } });
      },
    },
    {
      concurrency,
      async failed(step, reason) {
        await hook('failed:before', step);
        const nothingExists = (await partsOf(idOf(step))).length === 0;
        return done({
          rows: {
            failed: sql`UPDATE widgets SET status = 'error', status_reason = ${reason}::text,
                        amounts = CASE WHEN ${nothingExists}::boolean THEN '{}' ELSE amounts END
                        FROM verdict WHERE verdict.ok AND widgets.id = ${idOf(step)}::uuid`,
          },
          ...(nothingExists ? { release: true } : {}),
        });
      },
    },
  );
  const destroy = platformOperationSteps(
    deleteWidgetOperation,
    {
      async stop(step) {
        await remove(step, 'boot', 'stop');
        return goTo('remove');
      },
      async remove(step) {
        await remove(step, 'port', 'remove-port');
        await remove(step, 'disk', 'remove-disk');
        return done({
          rows: { gone: sql`DELETE FROM widgets USING verdict WHERE verdict.ok AND widgets.id = ${idOf(step)}::uuid` },
          release: true,
        });
      },
    },
    { failed: async (step, reason) => done({ rows: { failed: inError(idOf(step), reason) } }) },
  );
  const assemble = platformOperationSteps(
    assembleOperation,
    {
      async members(step) {
        const { members, tolerates } = step.input;
        await hook('members:before', step);
        const outcome = await withChildren(
          step,
          {
            rows: {
              members: sql`INSERT INTO widgets (id, project_id, name, status, amounts)
                SELECT member, verdict.project_id, member::text, 'provisioning', '{}'
                FROM unnest(${members}::uuid[]) AS member, verdict WHERE verdict.ok`,
            },
            children: Object.fromEntries(members.map((id, n) => [`member ${n}`, createWidgetOperation.start(id, {})])),
          },
          async (children) => {
            await hook('ended:before', step);
            const lost = children.find(({ status }) => status !== 'succeeded');
            return lost && !tolerates ? failure(`${lost.name} ${lost.status}: ${lost.error}`) : goTo('finish');
          },
        );
        await hook('members:after', step);
        return outcome;
      },
      async finish(step) {
        await around(step, 'finish', () => ensurePart(idOf(step), 'boot'));
        return done({ rows: { active: activated(idOf(step)) } });
      },
    },
    { failed: async (step, reason) => done({ rows: { failed: inError(idOf(step), reason) } }) },
  );
  return [create, destroy, assemble];
}
