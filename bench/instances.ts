import { z } from 'zod';
import { type Call, endpoint } from '@/lib/core/api/endpoint';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { insert, sql } from '@/lib/core/db/sql';
import { deviceInsert } from '@/lib/core/devices/device';
import { platformOperationKind } from '@/lib/core/operations/kind';
import { commit, ifAdmitted, type Write } from '@/lib/core/quota/commit';

/** A guarded create as in domains, without a domain: three dimensions, a name, a row, its device, an operation. */
const createKind = platformOperationKind({
  kind: 'bench.create',
  resource_type: 'bench_instance',
  stages: ['boot'],
  input: z.strictObject({ flavor: z.string() }),
  deadline_ms: 600_000,
});

export async function createInstanceTable(): Promise<void> {
  await execute(sql`CREATE TABLE bench_instances (
    id uuid PRIMARY KEY, project_id uuid NOT NULL REFERENCES projects (id), name text NOT NULL, status text NOT NULL,
    flavor text NOT NULL, created_at timestamptz(3) NOT NULL, UNIQUE (project_id, name),
    FOREIGN KEY (project_id, id) REFERENCES devices (project_id, id))`);
}

/** The write of one create; its name is unique through its id. */
export function instanceWrite(call: Call, projectId: string, id: string): Write {
  const name = `web-${id}`;
  const row = { id, name, status: 'provisioning', flavor: 'small', created_at: call.at };
  return {
    resource: { type: 'bench_instance', id, name },
    taken: {
      when: sql`EXISTS (SELECT FROM bench_instances WHERE project_id = ${projectId}::uuid AND name = ${name}::text)`,
      message: 'name: taken.',
    },
    claims: [
      { dimension: 'vcpus', amount: 2 },
      { dimension: 'ram_gb', amount: '4.5' },
      { dimension: 'instances', amount: 1 },
    ],
    freezable: true,
    rows: {
      device: deviceInsert(projectId, id, 'instance'),
      instance: insert('bench_instances', { ...row, project_id: projectId }, ifAdmitted),
    },
    operation: createKind.start(id, { flavor: 'small' }),
    answer: { status: 201, body: { ...row, created_at: call.at.toISOString() } },
  };
}

const body = z.strictObject({ flavor: z.literal('small') });
const instance = z.strictObject({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  flavor: z.string(),
  created_at: z.string(),
});

export const createInstance = endpoint({
  method: 'POST',
  path: '/bench/instances',
  operation_id: 'benchCreate',
  summary: 'Create',
  tag: 'Bench',
  access: 'member',
  body,
  responses: { 201: instance },
  claims: ['vcpus', 'ram_gb', 'instances'],
  freezable: true,
  audit: 'bench_instance.create',
  handle: async (call) => {
    const id = newId();
    const write = instanceWrite(call, call.project_id, id);
    await commit(call, write);
    return { id, name: `web-${id}`, status: 'provisioning', flavor: 'small', created_at: call.at.toISOString() };
  },
});
