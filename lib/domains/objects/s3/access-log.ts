import { WaitingLines } from '@/lib/domains/observability/logs/waiting-lines';
import type { BucketRow } from './access';
import type { S3Request } from './request';

/** How a request ended: `received` and `sent` are bytes of bodies, `code` is the error's, `access_key` that of a genuine signature. */
export type Ended = {
  status: number;
  code: string | undefined;
  access_key: string | undefined;
  received: number;
  sent: number;
};

const lines = new WaitingLines('lines of object storage');

/** Keeps a line of a request for the log of the bucket, without the query string: those of presigned addresses grant access. */
export function logRequest(
  { id, at, method, rawPath, address }: S3Request,
  bucket: Pick<BucketRow, 'id' | 'project_id' | 'name'>,
  ended: Ended,
  ms: number,
): void {
  const { status, ...more } = ended;
  lines.add({
    project_id: bucket.project_id,
    labels: {
      service: 'object_storage',
      resource_id: bucket.id,
      resource_name: bucket.name,
      level: levelOf(status),
      stream: 'access',
    },
    at,
    text: JSON.stringify({ status, method, path: rawPath, ms, client: address, request_id: id, ...more }),
  });
}

const levelOf = (status: number) => (status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info');

/** Stores the lines that `logRequest` kept. */
export const writeAccessLines = () => lines.flush();
