import { queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { deviceDelete, deviceOfVerdict } from '@/lib/core/devices/device';
import { interruptible } from '@/lib/core/operations/interruptible';
import {
  again,
  type CellStep,
  done,
  failure,
  goTo,
  type OperationSteps,
  operationSteps,
  type StepWrite,
} from '@/lib/core/operations/steps';
import { throughEngine } from '@/lib/core/resources/engine-step';
import { changeRow } from '@/lib/core/resources/rows';
import type { Settlement } from '@/lib/hosts/services/engine';
import {
  BuildFailure,
  type BuiltContent,
  contentOfArchive,
  contentOfRequirements,
  endBuilder,
  logOfBuilder,
  removeContent,
} from './build';
import { BUILDER_MB } from './builder';
import { buildVersionKind } from './operations';
import type { LayerRuntime } from './requirements';
import type { VersionStatus } from './schema';

/** Builders at work at the same time on a host. */
const AT_ONCE = 2;

type Row = {
  id: string;
  layer_id: string | null;
  status: VersionStatus;
  source: 'archive' | 'requirements';
  runtime: LayerRuntime | null;
  requirements: string[] | null;
  log: string;
  held_mb: number;
};

const readRow = (id: string) =>
  queryOne<Row>(sql`SELECT id, layer_id, status, source, runtime, requirements, log, held_mb
    FROM layer_versions WHERE id = ${id}::uuid`);

const buildSteps = operationSteps(
  buildVersionKind,
  {
    async content(step) {
      const id = step.operation.resource_id;
      const row = await readRow(id);
      if (row?.status !== 'building') {
        // Deleted in the meantime; its files go with its row.
        if (row?.source === 'requirements') await endBuilder(step.cell, id);
        return done(givenBack(id));
      }
      if (row.source === 'requirements' && row.held_mb === 0) return again(0, room(step.cell, id));
      try {
        return await throughEngine(
          step,
          'layer_versions',
          () => contentOf(step, row),
          (built) => {
            const rows = { version: building(id, ready(built)) };
            const { release, rows: device } = givenBack(id);
            const write = { release, rows: { ...device, ...rows } };
            return built.same ? goTo('files', write) : done(write);
          },
        );
      } catch (error) {
        if (error instanceof BuildFailure) return failure(error.message);
        throw error;
      }
    },
    async files({ operation: { resource_id: id } }) {
      const row = await queryOne<{ same_as: string | null }>(
        sql`SELECT same_as FROM layer_versions WHERE id = ${id}::uuid`,
      );
      if (row?.same_as) await removeContent(id);
      return done();
    },
  },
  {
    concurrency: AT_ONCE,
    async failed(step, reason) {
      const id = step.operation.resource_id;
      const row = await readRow(id);
      const log = row?.source === 'requirements' ? await lastWords(step, row) : '';
      await removeContent(id);
      const { release, rows } = givenBack(id);
      return done({
        release,
        rows: {
          ...rows,
          version: building(
            id,
            sql`status = 'error', status_reason = ${reason}::text, held_mb = 0, log = ${log}::text`,
          ),
        },
      });
    },
  },
);

/** The builder's memory, reserved in its cell before it starts: until there is room, the build waits (docs/decisions/0142). */
const room = (cell: string, id: string): StepWrite => ({
  needs: [{ cell, device: id, amounts: { memory_mb: BUILDER_MB } }],
  rows: {
    device: deviceOfVerdict(id, 'layer_version'),
    version: building(id, sql`held_mb = ${BUILDER_MB}::int`),
  },
  waits_for: 'The host has no memory for the builder at present',
});

/** Releases what `room` has reserved; no error where it has not. */
const givenBack = (id: string) => ({
  release: true as const,
  rows: { device: deviceDelete(id) },
});

type Built = { content: BuiltContent; log: string; same: Same | undefined };

/** The version of the layer that has this content already. */
type Same = { id: string; version: number };

async function contentOf(step: CellStep<unknown>, row: Row): Promise<Settlement<Built>> {
  const { id, runtime, requirements } = row;
  if (runtime === null || requirements === null) {
    return built(row, await contentOfArchive(id, step.signal), '');
  }
  const answer = await interruptible(contentOfRequirements(step.cell, { id, runtime, requirements }), step.signal);
  if (answer.settled) return built(row, answer.content, await lastWords(step, row));
  await keepLog(step.cell, row);
  return answer;
}

async function built(row: Row, content: BuiltContent, log: string): Promise<Settlement<Built>> {
  const same = await queryOne<Same>(sql`SELECT id, version FROM layer_versions WHERE layer_id = ${row.layer_id}::uuid
    AND sha256 = ${content.sha256}::text AND status = 'ready' AND same_as IS NULL AND id <> ${row.id}::uuid`);
  return { settled: true, content, log, same };
}

/** The builder's output as far as it goes, for those who watch. */
async function keepLog(cell: string, { id, log }: Row): Promise<void> {
  const said = await logOfBuilder(cell, id);
  if (said === log) return;
  await queryOne(sql`UPDATE layer_versions SET log = ${said}::text WHERE id = ${id}::uuid AND status = 'building'`);
}

/** All that the builder has said, and its end. */
async function lastWords({ cell }: CellStep<unknown>, { id, log }: Row): Promise<string> {
  const said = await logOfBuilder(cell, id);
  await endBuilder(cell, id);
  return said === '' ? log : said;
}

/** A version with the content of an earlier one is that version: it has its number, and its own files go. */
function ready({ content: { sha256, size_bytes, files, lockfile }, log, same }: Built): Sql {
  const number = same ? sql`, same_as = ${same.id}::uuid, version = ${same.version}::int` : raw('');
  return sql`status = 'ready', status_reason = NULL, held_mb = 0, sha256 = ${sha256}::text, size_bytes = ${size_bytes}::bigint,
    files = ${files}::int, lockfile = ${lockfile}::text, log = ${log}::text${number}`;
}

const building = (id: string, set: Sql): Sql =>
  sql`${changeRow('layer_versions', id, set)} AND layer_versions.status = 'building'`;

export const layerSteps: readonly OperationSteps[] = [buildSteps];
