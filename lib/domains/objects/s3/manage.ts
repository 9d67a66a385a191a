import type { AnyEndpoint, ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError } from '@/lib/core/api/errors';
import type { BucketChange } from '../bucket-change';
import { objectEndpoints } from '../endpoints';
import type { CreateBucket } from '../schema';
import { changeSettings, createBucket, deleteBucket } from '../service';
import type { Holder } from './access';
import type { BucketContext, Context } from './answer';
import { S3Error } from './errors';

/**
 * A request as a call of the tenant API, so that buckets are made and changed by the same statements, with the same limits and
 * audit entries. The actor is the access key.
 */
function callOf({ request }: Context, holder: Holder, operation: string): ProjectCall {
  const endpoint = objectEndpoints.find(({ operation_id }) => operation_id === operation) as AnyEndpoint;
  const { project_id, role } = holder;
  return {
    request_id: request.id,
    at: request.at,
    address: request.address,
    user_agent: '',
    caller: {
      kind: 'token',
      token_id: holder.credential_id,
      name: `access key ${holder.access_key}`,
      user_id: holder.user_id ?? holder.credential_id,
      membership: { project_id, project_status: 'active', role },
    },
    endpoint,
    signal: new AbortController().signal,
    record: { audited: false },
    project_id,
    role,
  };
}

/** @throws S3Error for a refusal that S3 has a code for */
async function translated<T>(work: () => Promise<T>, conflict: S3Error): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) throw conflict;
    if (error instanceof ApiError && error.status === 404) throw new S3Error('NoSuchBucket');
    throw error;
  }
}

export async function createNamed(
  context: Context,
  holder: Holder,
  input: Pick<CreateBucket, 'name' | 'acl' | 'versioning' | 'object_lock'>,
  isWritable: boolean,
): Promise<void> {
  const call = callOf(context, holder, 'createBucket');
  try {
    await createBucket(call, input, isWritable);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    throw new S3Error(error.message.startsWith('name:') ? 'BucketAlreadyExists' : 'TooManyBuckets', error.message);
  }
}

export const deleteNamed = (context: Context, holder: Holder, name: string): Promise<void> =>
  translated(() => deleteBucket(callOf(context, holder, 'deleteBucket'), name), new S3Error('BucketNotEmpty'));

export async function updateNamed(context: BucketContext, change: BucketChange): Promise<void> {
  const { holder, bucket } = context;
  if (!holder) throw new S3Error('AccessDenied');
  // A policy may let another project change settings; the entry belongs to the bucket's project.
  const call = callOf(context, { ...holder, project_id: bucket.project_id }, 'updateBucket');
  await translated(() => changeSettings(call, bucket.name, change), new S3Error('OperationAborted'));
}
