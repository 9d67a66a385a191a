import { databaseError } from '@/lib/core/db/pool';
import { isDiskFull } from '@/lib/core/db/room';
import { DiskFull } from '../store/blobs';
import { type S3Code, S3Error } from './errors';

/** What the statements of the store raise. */
const raised: Record<string, S3Code> = {
  P0402: 'QuotaExceeded',
  P0404: 'NoSuchBucket',
  P0405: 'NoSuchKey',
  P0406: 'NoSuchUpload',
  P0409: 'InvalidPart',
  P0412: 'PreconditionFailed',
  P0423: 'AccessDenied',
  // A bucket that was deleted meanwhile.
  '23503': 'NoSuchBucket',
};

/** The S3 error of a failure; undefined for one that is ours. */
export function s3ErrorOf(error: unknown): S3Error | undefined {
  if (error instanceof S3Error) return error;
  // The disk of the files, or that of the database, which keeps small objects.
  if (error instanceof DiskFull || isDiskFull(error)) return new S3Error('InsufficientStorage');
  const code = raised[databaseError(error)?.code ?? ''];
  return code && new S3Error(code);
}
