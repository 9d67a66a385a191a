import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { testDatabase } from '@/lib/testing/database';
import { newId } from './id';
import { execute, queryRow } from './pool';
import { prisma } from './prisma';
import { insert, sql } from './sql';

testDatabase();
const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

describe.each(['America/New_York', 'UTC', 'Pacific/Kiritimati'])('in the time zone %s', (TZ) => {
  test('a Date is written to a `date` column as its UTC day and read back as that day', async () => {
    process.env.TZ = TZ;
    for (const moment of ['2031-03-01T00:00:00.000Z', '2031-03-01T23:59:59.999Z']) {
      const id = newId();
      const rate = {
        id,
        metric: 'qdrant_database',
        price_usd: '0.5',
        created_by: 'test',
        created_at: new Date(moment),
      };
      await execute(insert('rates', { ...rate, effective_from: new Date(moment) }));
      const stored = await queryRow<{ effective_from: string; created_at: Date; day: string }>(
        sql`SELECT effective_from, created_at, ${new Date(moment)}::date AS day FROM rates WHERE id = ${id}::uuid`,
      );
      expect(stored).toEqual({ effective_from: '2031-03-01', day: '2031-03-01', created_at: new Date(moment) });
      const { effective_from } = await prisma().rate.findUniqueOrThrow({ where: { id } });
      expect(effective_from.toISOString()).toBe('2031-03-01T00:00:00.000Z');
    }
  });
});

test("no SQL derives a day from the session's time zone", () => {
  const root = new URL('../../..', import.meta.url).pathname;
  const sources = ['lib', 'app', 'prisma/migrations'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`)
      .filter((file) => /\.(tsx?|sql)$/.test(file) && !/^lib\/(db\/generated|client)\//.test(file)),
  );
  const found = sources.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => /(::timestamptz(\(3\))?|_at|now\(\)|_timestamp(\(\))?)\)?::date\b|\bCURRENT_DATE\b/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
