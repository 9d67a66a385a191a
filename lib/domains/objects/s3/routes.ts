import type { Answer, BucketContext, Context, ObjectContext } from './answer';
import * as buckets from './buckets';
import { S3Error } from './errors';
import { postForm } from './form';
import * as lock from './lock-settings';
import * as multipart from './multipart';
import * as objects from './objects';
import { header, type S3Request } from './request';

type BucketHandler = (context: BucketContext) => Promise<Answer>;
type ObjectHandler = (context: ObjectContext) => Promise<Answer>;

const nothing = (code: ConstructorParameters<typeof S3Error>[0]) => async (): Promise<Answer> => {
  throw new S3Error(code);
};

/** Parts of a bucket that are named in the query, by method. */
const bucketParts: Record<string, Partial<Record<string, BucketHandler>>> = {
  acl: { GET: buckets.getAcl, PUT: buckets.putAcl },
  cors: { GET: buckets.getCors, PUT: buckets.putCors, DELETE: buckets.deleteCors },
  delete: { POST: buckets.removeMany },
  encryption: { GET: nothing('ServerSideEncryptionConfigurationNotFoundError') },
  lifecycle: { GET: buckets.getLifecycle, PUT: buckets.putLifecycle, DELETE: buckets.deleteLifecycle },
  location: { GET: buckets.location },
  'object-lock': { GET: lock.getConfiguration, PUT: lock.putConfiguration },
  policy: { GET: buckets.getPolicy, PUT: buckets.putPolicy, DELETE: buckets.deletePolicy },
  policyStatus: { GET: buckets.getPolicyStatus },
  tagging: { GET: buckets.getTagging, PUT: buckets.putTagging, DELETE: buckets.deleteTagging },
  uploads: { GET: multipart.listAllUploads },
  versioning: { GET: buckets.getVersioning, PUT: buckets.putVersioning },
  versions: { GET: buckets.listAllVersions },
};

const objectParts: Record<string, Partial<Record<string, ObjectHandler>>> = {
  acl: { GET: objects.getAcl, PUT: objects.putAcl },
  attributes: { GET: objects.attributes },
  'legal-hold': { GET: lock.getLegalHold, PUT: lock.putLegalHold },
  retention: { GET: lock.getRetention, PUT: lock.putRetention },
  tagging: { GET: objects.getTagging, PUT: objects.putTagging, DELETE: objects.deleteTagging },
  uploads: { POST: multipart.begin },
};

/** Parts of S3 that this endpoint does not have. Ignoring one would be a silent success. */
const unsupported = [
  'accelerate',
  'analytics',
  'append',
  'intelligent-tiering',
  'inventory',
  'logging',
  'metadataTable',
  'metrics',
  'notification',
  'ownershipControls',
  'publicAccessBlock',
  'renameObject',
  'replication',
  'requestPayment',
  'restore',
  'select',
  'session',
  'torrent',
  'website',
];

function partOf<T>(parts: Record<string, Partial<Record<string, T>>>, { query, method }: S3Request): T | undefined {
  for (const [name, handlers] of Object.entries(parts)) {
    if (!query.has(name)) continue;
    const handler = handlers[method];
    if (!handler) throw new S3Error('NotImplemented', `${method} of ${name} is not supported.`);
    return handler;
  }
  const other = unsupported.find((name) => query.has(name));
  if (other !== undefined) throw new S3Error('NotImplemented', `${other} is not supported.`);
  return undefined;
}

function bucketHandler(request: S3Request): BucketHandler {
  const part = partOf(bucketParts, request);
  if (part) return part;
  switch (request.method) {
    case 'GET':
      return request.query.get('list-type') === '2' ? buckets.listSecondVersion : buckets.listFirstVersion;
    case 'HEAD':
      return buckets.head;
    case 'DELETE':
      return buckets.remove;
    case 'POST':
      return postForm;
    default:
      throw new S3Error('MethodNotAllowed');
  }
}

function objectHandler(request: S3Request): ObjectHandler {
  const { query, method } = request;
  const copies = header(request, 'x-amz-copy-source') !== undefined;
  if (query.has('uploadId') && method !== 'HEAD') {
    if (method === 'PUT') return copies ? multipart.copyOnePart : multipart.putOnePart;
    if (method === 'POST') return multipart.complete;
    if (method === 'DELETE') return multipart.abort;
    if (method === 'GET') return multipart.listParts;
  }
  const part = partOf(objectParts, request);
  if (part) return part;
  switch (method) {
    case 'GET':
    case 'HEAD':
      return objects.get;
    case 'PUT':
      return copies ? objects.copy : objects.put;
    case 'DELETE':
      return objects.remove;
    default:
      throw new S3Error('MethodNotAllowed');
  }
}

/** Carries out a request whose caller is known. @throws S3Error, and what `s3ErrorOf` knows */
export async function carryOut(context: Context): Promise<Answer> {
  const { request, bucket } = context;
  objects.requireSupported(request);
  if (request.bucket === undefined) {
    if (request.method !== 'GET') throw new S3Error('MethodNotAllowed');
    return buckets.listBuckets(context);
  }
  const isPlainPut =
    request.method === 'PUT' && request.key === undefined && partOf(bucketParts, request) === undefined;
  if (isPlainPut) return buckets.create(context);
  if (!bucket) throw new S3Error('NoSuchBucket', undefined, { elements: { BucketName: request.bucket } });
  const expected = header(request, 'x-amz-expected-bucket-owner');
  if (expected !== undefined && expected !== bucket.project_id) throw new S3Error('AccessDenied');
  if (request.key === undefined) return bucketHandler(request)({ ...context, bucket });
  return objectHandler(request)({ ...context, bucket, key: request.key });
}
