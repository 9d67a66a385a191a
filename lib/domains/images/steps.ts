import { z } from 'zod';
import { databaseError, execute, queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { interruptible } from '@/lib/core/operations/interruptible';
import {
  again,
  done,
  failure,
  goTo,
  type OperationSteps,
  operationSteps,
  type Step,
  underWay,
} from '@/lib/core/operations/steps';
import { throughEngine } from '@/lib/core/resources/engine-step';
import { changeRow, rowInError } from '@/lib/core/resources/rows';
import { engineOf } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import type { Settlement } from '@/lib/hosts/services/engine';
import type { EngineImage, ImageFormat } from './engine';
import { deleteImageKind, importKind, prepareKind } from './operations';

const GIB = 1024 ** 3;
const CROWDED_MS = 5000;
/** What goes wrong so often in a row will not go right by itself. */
const MOST_ATTEMPTS = 5;

const algorithm = z.enum(['sha256', 'sha512']);
const source = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('tiny') }),
  z.object({
    kind: z.literal('fetch'),
    url: z.url(),
    /** Known beforehand, or read from the publisher's list when the image is fetched. */
    checksum: z.object({ algorithm, hex: z.string() }).optional(),
    checksums: z.object({ algorithm, url: z.url() }).optional(),
  }),
]);

type Row = { source: unknown; format: ImageFormat; status: string; checksum_sha256: string | null };

const readRow = (id: string) =>
  queryOne<Row>(sql`SELECT source, format, status, checksum_sha256 FROM images WHERE id = ${id}::uuid`);

/** Brings a public image onto this host. */
export const prepareSteps = operationSteps(
  prepareKind,
  {
    async fetch(step) {
      const id = step.operation.resource_id;
      const image = await readRow(id);
      if (!image || image.status === 'active') return done();
      await execute(sql`UPDATE images SET status = 'importing', updated_at = platform_now()
        WHERE id = ${id}::uuid AND status = 'queued'`);
      return throughEngine(
        step,
        'images',
        () => tellingWhy(step, () => fetched(step.cell, id, image)),
        (arrived) => done({ rows: { image: active(id, arrived.image) } }),
        ({ transfer }) => (transfer ? { rows: { image: progressed(id, transfer) } } : {}),
      );
    },
  },
  {
    // What could not be had now may be there the next time that someone needs it.
    failed: async ({ operation: { resource_id: id } }, reason) =>
      done({
        rows: {
          image: changeRow('images', id, sql`status = 'queued', status_reason = ${reason}::text, received_bytes = 0`),
        },
      }),
  },
);

async function fetched(
  cell: string,
  id: string,
  { source: stored, format }: Row,
): Promise<Settlement<{ image: EngineImage }>> {
  const from = source.parse(stored);
  const { images } = engineOf(cell);
  if (from.kind === 'tiny') return images.buildTinyImage(id);
  const checksum = from.checksum ?? from.checksums;
  if (!checksum) throw new EngineError('INVALID', `No checksum is known for ${from.url}.`);
  return images.fetchImage(id, { url: from.url, format, checksum });
}

/** Proves an upload and takes it over. */
const importSteps = operationSteps(
  importKind,
  {
    async import(step) {
      const id = step.operation.resource_id;
      const row = await readRow(id);
      if (row?.status !== 'importing') return done();
      const { images } = engineOf(step.cell);
      try {
        return await throughEngine(
          step,
          'images',
          () => tellingWhy(step, () => images.importImage(id, row.format)),
          ({ image }) =>
            image.sha256 === row.checksum_sha256
              ? done({ rows: { image: active(id, image) } })
              : failure('The file was damaged on the host. Upload it again.'),
        );
      } catch (error) {
        step.signal.throwIfAborted();
        if (error instanceof EngineError || step.operation.attempts + 1 < MOST_ATTEMPTS) throw error;
        return failure('The file could not be read on the host. Upload it again.');
      }
    },
  },
  {
    async failed({ operation: { resource_id: id }, cell }, reason) {
      const answer = await engineOf(cell).images.removeImage(id);
      return answer.settled ? done({ rows: { image: rowInError('images', id, reason) } }) : underWay(answer);
    },
  },
);

const deleteSteps = operationSteps(
  deleteImageKind,
  {
    async row({ operation: { resource_id: id } }) {
      try {
        await execute(sql`DELETE FROM images WHERE id = ${id}::uuid AND status = 'deleting'`);
      } catch (error) {
        // Something that was admitted in the same moment stands on it.
        const { code } = databaseError(error) ?? {};
        if (code === '23503' || code === '23001') return failure('A resource has just been created from this image.');
        throw error;
      }
      return goTo('files');
    },
    async files(step) {
      try {
        const answer = await interruptible(
          engineOf(step.cell).images.removeImage(step.operation.resource_id),
          step.signal,
        );
        return answer.settled ? done() : underWay(answer);
      } catch (error) {
        step.signal.throwIfAborted();
        if (error instanceof EngineError && error.code === 'IN_USE') return again(CROWDED_MS);
        throw error;
      }
    },
  },
  {
    // Where the row is gone already, the observer finds the file.
    failed: async ({ operation: { resource_id: id } }, reason) =>
      done({
        rows: {
          image: sql`${changeRow(
            'images',
            id,
            sql`status = CASE WHEN virtual_size_bytes IS NULL THEN 'error' ELSE 'active' END, status_reason = ${reason}::text`,
          )} AND images.status = 'deleting'`,
        },
      }),
  },
);

function active(id: string, { sha256, sizeBytes, virtualSizeBytes }: EngineImage): Sql {
  return changeRow(
    'images',
    id,
    sql`status = 'active', status_reason = NULL, checksum_sha256 = ${sha256}::text,
      size_bytes = ${sizeBytes}::bigint, received_bytes = ${sizeBytes}::bigint, virtual_size_bytes = ${virtualSizeBytes}::bigint,
      min_disk_gb = greatest(images.min_disk_gb, ${Math.ceil(virtualSizeBytes / GIB)}::int)`,
  );
}

/** Shows the engine's error in the row, even while the step is tried again. */
async function tellingWhy<Result>({ operation, signal }: Step<unknown>, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof EngineError && !signal.aborted)
      await execute(
        sql`UPDATE images SET status_reason = ${error.message}::text WHERE id = ${operation.resource_id}::uuid`,
      );
    throw error;
  }
}

function progressed(
  id: string,
  { receivedBytes, totalBytes }: { receivedBytes: number; totalBytes: number | null },
): Sql {
  return changeRow(
    'images',
    id,
    sql`received_bytes = ${receivedBytes}::bigint, size_bytes = ${totalBytes}::bigint, status_reason = NULL`,
  );
}

/** What workers do to images. */
export const imageSteps: readonly OperationSteps[] = [prepareSteps, importSteps, deleteSteps];
