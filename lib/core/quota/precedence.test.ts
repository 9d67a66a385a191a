import { beforeAll, expect, test, vi } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { createWidget, createWidgetTable, resizeWidget, setLimits, widgetCall } from '@/lib/testing/widgets';
import { createProject } from '@/lib/testing/world';
import { commit } from './commit';

// A project that is frozen without any spend; the tests of budgets prove what freezes one.
vi.mock('@/lib/money/budget/freeze', () => ({ frozen: raw('k.limits_version = 99') }));

testDatabase();
beforeAll(createWidgetTable);

test('refusals come in the order 404, 409, 402, 403', async () => {
  const { id: project } = await createProject();
  await setLimits(project, { instances: 1 });
  const id = await createWidget(widgetCall(project), { name: 'taken', amounts: { instances: 1 } });
  await execute(sql`UPDATE project_accounts SET limits_version = 99 WHERE project_id = ${project}::uuid`);

  const create = (name: string, freezable = true) =>
    createWidget(widgetCall(project), { name, freezable, amounts: { instances: 1 } });
  const change = (target: string) =>
    commit(widgetCall(project), {
      resource: { type: 'widget', id, name: 'taken' },
      target: sql`SELECT false AS allowed, 'broken' AS state FROM k JOIN widgets w ON w.project_id = k.project_id
                  WHERE w.id = ${target}::uuid FOR UPDATE OF w`,
      taken: { when: raw('true'), message: 'taken' },
      claims: [{ dimension: 'instances', amount: 1 }],
      freezable: true,
      rows: {},
    });

  await expect(change(project)).rejects.toMatchObject({ status: 404, code: 'RESOURCE_NOT_FOUND' });
  await expect(change(id)).rejects.toMatchObject({ status: 409, message: expect.stringContaining('broken') });
  await expect(create('taken')).rejects.toMatchObject({ status: 409, code: 'CONFLICT' });
  await expect(create('new')).rejects.toMatchObject({ status: 402, code: 'BUDGET_FROZEN' });
  await expect(create('new', false)).rejects.toMatchObject({
    status: 403,
    message: 'Quota exceeded for instances: limit 1, in use 1. Ask an administrator to raise instances_limit.',
  });
  await expect(resizeWidget(widgetCall(project), id, 'instances', 2)).rejects.toMatchObject({ status: 403 });
});
