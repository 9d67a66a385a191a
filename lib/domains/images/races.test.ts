import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { createCell, UPLOADED } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { race } from '@/lib/testing/race';
import { type Answer, api, createProject, type TestProject } from '@/lib/testing/world';

testDatabase();
const call = api();
const ROUNDS = 12;
let acme: TestProject;

beforeEach(async () => {
  await createCell();
  acme = await createProject('acme');
  await execute(sql`UPDATE project_accounts SET instances_limit = 1000, vcpus_limit = 1000, ram_gb_limit = 1000, volumes_limit = 1000
    WHERE project_id = ${acme.id}::uuid`);
});

async function activeImage(): Promise<string> {
  const id = newId();
  await execute(sql`INSERT INTO images (id, project_id, owner_id, name, format, status, source, size_bytes, min_disk_gb, created_at, updated_at)
    VALUES (${id}::uuid, ${acme.id}::uuid, ${acme.id}::uuid, 'own', 'RAW', 'active', ${JSON.stringify(UPLOADED)}::jsonb, 1048576, 1,
      platform_now(), platform_now())`);
  return id;
}

async function stoppedInstance(): Promise<string> {
  const id = idOf(await launch(call, acme));
  await execute(sql`UPDATE instances SET status = 'stopped', task = NULL WHERE id = ${id}::uuid`);
  return id;
}

const member = () => acme.users.member.token;
const remove = (id: string) => call('DELETE', `/images/images/${id}`, { token: member() });

/** What can be made from an image: prepared first, so that only the last call races. */
const uses: Record<string, () => Promise<(image_id: string) => Promise<Answer>>> = {
  'an instance created from it': async () => (image_id) => launch(call, acme, { image_id }),
  'a volume created from it': async () => (image_id) =>
    call('POST', '/storage/volumes', { token: member(), body: { name: 'data', size_gb: 1, image_id } }),
  'an instance rebuilt from it': async () => {
    const id = await stoppedInstance();
    return (image_id) =>
      call('POST', `/compute/instances/${id}/action`, { token: member(), body: { action: 'rebuild', image_id } });
  },
};

describe.each(Object.entries(uses))('deleting an image races with %s', (_, prepare) => {
  test.each([
    ['the use first', false],
    ['the delete first', true],
  ])(`${ROUNDS} times, %s in line: never do both succeed`, { timeout: 120_000 }, async (_, deleteFirst) => {
    for (let round = 0; round < ROUNDS; round++) {
      const use = await prepare();
      const image = await activeImage();
      const runners = [() => use(image), () => remove(image)];
      const lock = `SELECT FROM project_accounts WHERE project_id = '${acme.id}' FOR UPDATE`;
      const answers = await race(lock, deleteFirst ? runners.toReversed() : runners);
      const [used, removed] = deleteFirst ? answers.toReversed() : answers;
      const succeeded = [used, removed].filter((answer) => answer && answer.status < 300);
      expect(succeeded, `${used?.text} ${removed?.text}`).toHaveLength(1);
      const refused = [used, removed].find((answer) => answer && answer.status >= 300);
      expect(refused).toMatchObject({
        status: 409,
        body: { error: { message: expect.stringMatching(/no longer available|Image own is in use/) } },
      });
      const { status } = await prisma().image.findUniqueOrThrow({ where: { id: image } });
      expect(status).toBe(removed?.status === 202 ? 'deleting' : 'active');
    }
  });
});

test('an image deleted among many parallel uses is used by none of them', { timeout: 60_000 }, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const image = await activeImage();
    const prepared = await Promise.all(Object.values(uses).map((prepare) => prepare()));
    const using = [...prepared, ...prepared.slice(0, 2)].map((use) => () => use(image));
    const all = [...using.slice(0, round % 6), () => remove(image), ...using.slice(round % 6)];
    const answers = await Promise.all(all.map((run) => run()));
    const removed = answers[round % 6];
    const used = answers.filter((answer) => answer !== removed && answer.status < 300);
    if (removed?.status === 202) expect(used).toEqual([]);
    else expect(used.length).toBeGreaterThan(0);
  }
});
