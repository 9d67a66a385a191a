import { Readable } from 'node:stream';
import busboy from 'busboy';
import { settings } from '@/lib/settings';
import { receive, requireDisk } from '../store/blobs';
import { identifyKey, requirePermission } from './access';
import { type Answer, type BucketContext, empty, type ObjectContext, quoted, xml } from './answer';
import { discard } from './body';
import { S3Error } from './errors';
import { facts, madeHeader, requireQuota, requireSupported, store } from './objects';
import { header, requireKey, type S3Request } from './request';
import { equal, formSignature, policySignature } from './signature';
import { parseTags } from './tags';

const MOST_BYTES = 5 * 1024 ** 3;
const MOST_FIELD_BYTES = 20 * 1024;
// biome-ignore lint/suspicious/noTemplateCurlyInString: forms write the placeholder like this
const FILE_NAME = '${filename}';

/** The fields before the file, by their lower-case names. */
type Fields = Map<string, string>;

type Form = { fields: Fields; filename: string; type: string | undefined; file: Readable };

const malformed = (message?: string) => new S3Error('MalformedPOSTRequest', message);

/** Reads a form up to its file, which must be its last part that counts. */
function openForm(request: S3Request): Promise<Form> {
  return new Promise((resolve, reject) => {
    const fields: Fields = new Map();
    let parser: busboy.Busboy;
    try {
      parser = busboy({
        headers: { 'content-type': header(request, 'content-type') ?? '' },
        limits: { fields: 100, fieldSize: MOST_FIELD_BYTES, files: 100, parts: 100 },
        preservePath: true,
        defParamCharset: 'utf8',
      });
    } catch {
      reject(malformed());
      return;
    }
    parser.on('field', (name, value) => fields.set(name.toLowerCase(), value));
    const others: Promise<void>[] = [];
    parser.on('file', (name, file, info) => {
      // Some clients give every field a file name. Only the field `file` is one.
      if (name.toLowerCase() !== 'file') {
        others.push(textOf(file).then((value) => void fields.set(name.toLowerCase(), value)));
        return;
      }
      Promise.all(others).then(
        () => resolve({ fields, filename: info.filename ?? '', type: info.mimeType, file }),
        reject,
      );
    });
    parser.on('error', () => reject(malformed()));
    parser.on('close', () =>
      reject(new S3Error('InvalidArgument', 'POST requires exactly one file upload per request.')),
    );
    const source = Readable.from(request.body);
    source.on('error', (error) => {
      reject(error);
      parser.destroy(error);
    });
    source.pipe(parser);
  });
}

async function textOf(part: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of part) {
    size += piece.length;
    if (size > MOST_FIELD_BYTES) throw new S3Error('MaxMessageLengthExceeded');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

type Condition =
  | { kind: 'eq' | 'starts-with'; field: string; value: string }
  | { kind: 'length'; least: number; most: number };

const invalidPolicy = (message: string) => new S3Error('InvalidPolicyDocument', `Invalid Policy: ${message}`);

/** @throws S3Error InvalidPolicyDocument */
function parsePolicy(text: string): { expires: number; conditions: Condition[] } {
  let policy: { expiration?: unknown; conditions?: unknown };
  try {
    policy = JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  } catch {
    throw invalidPolicy('Invalid JSON.');
  }
  if (typeof policy !== 'object' || policy === null) throw invalidPolicy('Invalid JSON.');
  const expires = typeof policy.expiration === 'string' ? Date.parse(policy.expiration) : Number.NaN;
  if (Number.isNaN(expires) || !String(policy.expiration).endsWith('Z'))
    throw invalidPolicy(policy.expiration === undefined ? 'Policy missing expiration.' : "Invalid 'expiration' value.");
  if (!Array.isArray(policy.conditions)) throw invalidPolicy('Policy missing conditions.');
  return { expires, conditions: policy.conditions.flatMap(parseCondition) };
}

function parseCondition(given: unknown): Condition[] {
  if (Array.isArray(given)) {
    const [kind, field, value] = given;
    if (String(kind).toLowerCase() === 'content-length-range') {
      const [least, most] = [Number(field), Number(value)];
      if (given.length !== 3 || !Number.isSafeInteger(least) || !Number.isSafeInteger(most) || least < 0)
        throw invalidPolicy('content-length-range needs two numbers.');
      return [{ kind: 'length', least, most }];
    }
    const known = (['eq', 'starts-with'] as const).find((name) => name === String(kind).toLowerCase());
    if (
      !known ||
      given.length !== 3 ||
      typeof field !== 'string' ||
      typeof value !== 'string' ||
      !field.startsWith('$')
    )
      throw invalidPolicy('Invalid condition.');
    return [{ kind: known, field: field.slice(1).toLowerCase(), value }];
  }
  if (typeof given !== 'object' || given === null || Object.keys(given).length === 0)
    throw invalidPolicy('Invalid condition.');
  return Object.entries(given).map(([field, value]) => {
    if (typeof value !== 'string') throw invalidPolicy('Invalid condition.');
    return { kind: 'eq', field: field.toLowerCase(), value };
  });
}

/** Fields that no condition needs to name. */
const free = ['policy', 'x-amz-signature', 'awsaccesskeyid', 'signature', 'file'];

/** @throws S3Error AccessDenied, EntityTooLarge, EntityTooSmall */
function checkPolicy(
  request: S3Request,
  policy: ReturnType<typeof parsePolicy>,
  fields: Fields,
  bucket: string,
): { least: number; most: number } {
  const denied = (message: string) => new S3Error('AccessDenied', `Invalid according to Policy: ${message}`);
  if (policy.expires <= request.at.getTime()) throw denied('Policy expired.');
  const value = (name: string) => (name === 'bucket' ? bucket : (fields.get(name) ?? ''));
  let limits = { least: 0, most: MOST_BYTES };
  for (const condition of policy.conditions) {
    if (condition.kind === 'length') limits = condition;
    else {
      const actual = value(condition.field);
      const holds = condition.kind === 'eq' ? actual === condition.value : actual.startsWith(condition.value);
      if (!holds)
        throw denied(`Policy Condition failed: ["${condition.kind}", "$${condition.field}", "${condition.value}"]`);
    }
  }
  const named = policy.conditions.flatMap((condition) => (condition.kind === 'length' ? [] : [condition.field]));
  const extra = [...fields.keys()].find(
    (name) => !free.includes(name) && !name.startsWith('x-ignore-') && !named.includes(name),
  );
  if (extra !== undefined) throw denied(`Extra input fields: ${extra}`);
  if (!named.includes('bucket')) throw denied('the policy must name the bucket.');
  return limits;
}

/** The signature of a form, in version 4 or in the older one, which forms still use. @throws S3Error */
function claimed(
  fields: Fields,
  policy: string,
): { accessKey: string; signature: string; expect: (secret: string) => string } {
  const old = fields.get('awsaccesskeyid');
  if (old !== undefined && !fields.has('x-amz-credential'))
    return {
      accessKey: old,
      signature: fields.get('signature') ?? '',
      expect: (secret) => formSignature(secret, policy),
    };
  const [, accessKey, date, region] =
    /^([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request$/.exec(fields.get('x-amz-credential') ?? '') ?? [];
  if (accessKey === undefined || date === undefined || region === undefined)
    throw new S3Error(
      'InvalidArgument',
      'The form needs x-amz-credential, x-amz-algorithm, x-amz-date and x-amz-signature.',
    );
  if (fields.get('x-amz-algorithm') !== 'AWS4-HMAC-SHA256' || region !== settings().s3.region)
    throw new S3Error(
      'InvalidArgument',
      'The form must be signed with AWS4-HMAC-SHA256 for the region of this endpoint.',
    );
  return {
    accessKey,
    signature: fields.get('x-amz-signature') ?? '',
    expect: (secret) => policySignature(secret, { date, region }, policy),
  };
}

/** Who has signed the form. @throws S3Error */
async function signer(
  context: BucketContext,
  fields: Fields,
): Promise<{ context: BucketContext; limits: { least: number; most: number } }> {
  const policy = fields.get('policy');
  if (policy === undefined) return { context, limits: { least: 0, most: MOST_BYTES } };
  const { accessKey, signature, expect } = claimed(fields, policy);
  const found = await identifyKey(accessKey, context.bucket.name);
  if (!equal(expect(found.secret), signature)) throw new S3Error('SignatureDoesNotMatch');
  const limits = checkPolicy(context.request, parsePolicy(policy), fields, context.bucket.name);
  return { context: { ...context, holder: found.holder }, limits };
}

/** An upload by a form in a browser, which its policy limits. */
export async function postForm(given: BucketContext): Promise<Answer> {
  const { fields, filename, type, file } = await openForm(given.request);
  // Without a reader a refused file would hold the connection.
  file.on('error', () => {});
  const named = fields.get('key')?.replaceAll(FILE_NAME, filename);
  // The policy is about the key that the object gets.
  if (named !== undefined) fields.set('key', named);
  const { context, limits } = await signer(given, fields);
  if (named === undefined || named === '')
    throw new S3Error('InvalidArgument', "Bucket POST must contain a field named 'key'.");
  const key = requireKey(named);
  // The fields say of the object what headers would.
  const headers = Object.fromEntries([...fields].map(([name, value]) => [name, Buffer.from(value).toString('latin1')]));
  const request: S3Request = {
    ...context.request,
    headers: { ...headers, 'content-type': fields.get('content-type') ?? type },
  };
  requireSupported(request);
  const acl = fields.get('acl');
  const tagging = fields.get('tagging');
  const said = facts({
    ...request,
    headers: { ...request.headers, ...(acl === undefined ? {} : { 'x-amz-acl': acl }) },
  });
  requirePermission(context.request, context, {
    action: 's3:PutObject',
    kind: 'write',
    key,
    isPublic: context.bucket.public_write,
    grants: { of: context.bucket.grants, right: 'WRITE' },
  });
  requireQuota(context, '0');
  await requireDisk(0);
  const received = await receive(limited(file, limits.most), {});
  if (received.size < limits.least) {
    await discard(received);
    throw new S3Error('EntityTooSmall');
  }
  const stored = await store(
    {
      ...said,
      ...(tagging === undefined ? {} : { tags: parseTags(tagging, 10) }),
      bucket_id: context.bucket.id,
      key,
      size: received.size,
      etag: received.md5,
      checksum: null,
    },
    received,
    {},
  );
  return formAnswer({ ...context, key }, fields, received.md5, stored.version);
}

async function* limited(file: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of file) {
    size += piece.byteLength;
    if (size > most) throw new S3Error('EntityTooLarge');
    yield piece;
  }
}

function formAnswer({ bucket, key }: ObjectContext, fields: Fields, etag: string, version: string): Answer {
  const location = `${settings().s3.url}/${bucket.name}/${key.split('/').map(encodeURIComponent).join('/')}`;
  const headers = { ETag: quoted(etag), ...madeHeader(version) };
  const redirect = fields.get('success_action_redirect') ?? fields.get('redirect');
  if (redirect !== undefined && URL.canParse(redirect) && /^https?:$/.test(new URL(redirect).protocol)) {
    const target = new URL(redirect);
    for (const [name, value] of Object.entries({ bucket: bucket.name, key, etag: quoted(etag) }))
      target.searchParams.set(name, value);
    return empty(303, { ...headers, Location: target.href });
  }
  const status = fields.get('success_action_status');
  if (status === '200') return empty(200, { ...headers, Location: location });
  if (status === '201')
    return xml('PostResponse', { Location: location, Bucket: bucket.name, Key: key, ETag: quoted(etag) }, 201, {
      ...headers,
      Location: location,
    });
  return empty(204, { ...headers, Location: location });
}
