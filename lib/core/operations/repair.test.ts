import { beforeAll, describe, expect, test, vi } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, pool, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { createWidget, createWidgetTable, widgetCall } from '@/lib/testing/widgets';
import { createProject } from '@/lib/testing/world';
import { writeRepair } from './repair';

testDatabase();
beforeAll(createWidgetTable);

describe('a repair', () => {
  test('writes the row, the operation and the hint together', async () => {
    const { id: project } = await createProject();
    const id = await createWidget(widgetCall(project), { amounts: {} });
    expect(await repair(project, id)).toBe(true);
    expect(
      await queryOne(sql`SELECT w.status, o.kind, o.project_id, c.topic FROM widgets w
      JOIN operations o ON o.resource_id = w.id JOIN changes c ON c.resource_id = w.id::text
      WHERE w.id = ${id}::uuid ORDER BY c.id DESC LIMIT 1`),
    ).toEqual({
      status: 'broken',
      kind: 'widget.mend',
      project_id: project,
      topic: 'widget',
    });
  });

  test('waits for its turn in the project and skips a resource that changed meanwhile', async () => {
    const { id: project } = await createProject();
    const id = await createWidget(widgetCall(project), { amounts: {} });
    const other = await pool().connect();
    await other.query('BEGIN');
    await other.query('SELECT FROM project_accounts WHERE project_id = $1 FOR UPDATE', [project]);
    const repaired = repair(project, id);
    await vi.waitFor(async () => expect(await waiting()).toBe(1), { interval: 1, timeout: 15_000 });
    // The repair holds no lock while it waits, so this cannot deadlock.
    await other.query("UPDATE widgets SET status = 'deleting' WHERE id = $1", [id]);
    await other.query('COMMIT');
    other.release();
    expect(await repaired).toBe(false);
    expect(
      await queryOne(sql`SELECT status, (SELECT count(*)::int FROM operations WHERE resource_id = ${id}::uuid) AS operations
      FROM widgets WHERE id = ${id}::uuid`),
    ).toEqual({ status: 'deleting', operations: 0 });
  });

  test('of a platform resource needs no project', async () => {
    await execute(sql`CREATE TABLE beacons (id uuid PRIMARY KEY, lit boolean NOT NULL)`);
    const id = newId();
    await execute(sql`INSERT INTO beacons VALUES (${id}::uuid, false)`);
    const light = () =>
      writeRepair({
        resource: { type: 'beacon', id },
        project_id: null,
        unchanged: sql`FROM k CROSS JOIN beacons b WHERE b.id = ${id}::uuid AND NOT b.lit FOR UPDATE OF b`,
        change: sql`UPDATE beacons SET lit = true FROM verdict WHERE verdict.ok AND beacons.id = ${id}::uuid`,
      });
    expect([await light(), await light()]).toEqual([true, false]);
  });
});

const repair = (project_id: string, id: string) =>
  writeRepair({
    resource: { type: 'widget', id },
    project_id,
    unchanged: sql`FROM k JOIN widgets w ON w.project_id = k.project_id
      WHERE w.id = ${id}::uuid AND w.status = 'active' FOR UPDATE OF w`,
    change: sql`UPDATE widgets SET status = 'broken' FROM verdict WHERE verdict.ok AND widgets.id = ${id}::uuid`,
    operation: {
      kind: 'widget.mend',
      resource: { type: 'widget', id },
      stage: 'glue',
      input: {},
      place: 'platform',
      deadline_ms: 60_000,
    },
  });

async function waiting(): Promise<number | undefined> {
  const row = await queryOne<{ n: number }>(
    sql`SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row?.n;
}
