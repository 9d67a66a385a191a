import { z } from 'zod';
import { execute, queryOne } from '@/lib/db/pool';
import { type Sql, sql } from '@/lib/db/sql';
import { engines } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import { interruptible } from '@/lib/operations/interruptible';
import { done, failure, operationSteps } from '@/lib/operations/steps';
import type { EngineImage, FetchProgress, ImageFormat } from './engine';
import { prepareKind } from './operations';

const GIB = 1024 ** 3;
/** How often an image on its way says how far it is. */
const PROGRESS_MS = 1000;

const checksum = z.object({ algorithm: z.enum(['sha256', 'sha512']), hex: z.string() });
const source = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('tiny') }),
  z.object({ kind: z.literal('fetch'), url: z.url(), checksum }),
]);

/** Brings a public image onto this host. */
export const prepareSteps = operationSteps(
  prepareKind,
  {
    async fetch({ operation: { resource_id: id }, signal }) {
      const image = await queryOne<{ source: unknown; format: ImageFormat; status: string }>(
        sql`SELECT source, format, status FROM images WHERE id = ${id}::uuid`,
      );
      if (!image || image.status === 'active') return done();
      await execute(sql`UPDATE images SET status = 'importing', status_reason = NULL, received_bytes = 0, updated_at = platform_now()
        WHERE id = ${id}::uuid AND status = 'queued'`);
      const from = source.parse(image.source);
      const { images } = engines();
      try {
        const made =
          from.kind === 'tiny'
            ? images.buildTinyImage(id)
            : images.fetchImage(id, { ...from, format: image.format }, progress(id));
        return done({ rows: { image: active(id, await interruptible(made, signal)) } });
      } catch (error) {
        if (error instanceof EngineError && error.code === 'INVALID') return failure(error.message);
        throw error;
      }
    },
  },
  {
    // What could not be had now may be there the next time that someone needs it.
    failed: async ({ operation: { resource_id: id } }, reason) =>
      done({
        rows: {
          image: sql`UPDATE images SET status = 'queued', status_reason = ${reason}::text, received_bytes = 0,
            updated_at = platform_now() FROM verdict WHERE verdict.ok AND images.id = ${id}::uuid`,
        },
      }),
    concurrency: 2,
  },
);

function active(id: string, { sha256, sizeBytes, virtualSizeBytes }: EngineImage): Sql {
  return sql`UPDATE images SET status = 'active', status_reason = NULL, checksum_sha256 = ${sha256}::text,
      size_bytes = ${sizeBytes}::bigint, received_bytes = ${sizeBytes}::bigint, virtual_size_bytes = ${virtualSizeBytes}::bigint,
      min_disk_gb = greatest(images.min_disk_gb, ${Math.ceil(virtualSizeBytes / GIB)}::int), updated_at = platform_now()
    FROM verdict WHERE verdict.ok AND images.id = ${id}::uuid`;
}

function progress(id: string): FetchProgress {
  let toldAt = 0;
  return (receivedBytes, totalBytes) => {
    if (Date.now() - toldAt < PROGRESS_MS) return;
    toldAt = Date.now();
    // Only shown: what is lost of it does not matter.
    execute(sql`UPDATE images SET received_bytes = ${receivedBytes}::bigint, size_bytes = ${totalBytes}::bigint
      WHERE id = ${id}::uuid AND status = 'importing'`).catch(() => {});
  };
}
