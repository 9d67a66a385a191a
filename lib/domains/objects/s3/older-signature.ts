import { createHmac } from 'node:crypto';
import { settings } from '@/lib/settings';
import { S3Error } from './errors';
import { header, type S3Request } from './request';
import { type Claim, equal, LONGEST_PRESIGNED_S } from './signature';

/**
 * Presigned addresses in AWS Signature Version 2, which boto3 and version 1 of the AWS CLI make unless they are told otherwise. Only in
 * addresses, and only where everything that the address says is signed.
 */

const OWN = ['AWSAccessKeyId', 'Expires', 'Signature'];
/** The parameters that this version signs. */
const SIGNED = [
  'acl',
  'cors',
  'delete',
  'lifecycle',
  'location',
  'object-lock',
  'partNumber',
  'policy',
  'response-cache-control',
  'response-content-disposition',
  'response-content-encoding',
  'response-content-language',
  'response-content-type',
  'response-expires',
  'tagging',
  'uploadId',
  'uploads',
  'versionId',
  'versioning',
  'versions',
];

/** The claim of an address in the older version; undefined: it is none. @throws S3Error for a malformed or outdated one */
export function olderClaim(request: S3Request, region: string): Claim | undefined {
  const { query, at } = request;
  const [accessKey, signature, expires] = [query.get('AWSAccessKeyId'), query.get('Signature'), query.get('Expires')];
  if (accessKey === undefined || signature === undefined) return undefined;
  if (header(request, 'authorization') !== undefined)
    throw new S3Error('InvalidArgument', 'Only one authorization mechanism is allowed.');
  if (expires === undefined || !/^\d{1,12}$/.test(expires))
    throw new S3Error('AccessDenied', 'Query-string authentication requires Expires in seconds since 1970.');
  const left = Number(expires) - at.getTime() / 1000;
  if (left < 0) throw new S3Error('AccessDenied', 'Request has expired.');
  if (left > LONGEST_PRESIGNED_S) throw new S3Error('AccessDenied', 'An address may be valid for a week.');
  const names = query.entries.map(([name]) => name);
  const unsigned = names.find((name) => !OWN.includes(name) && !SIGNED.includes(name));
  if (unsigned !== undefined || new Set(names).size < names.length)
    throw new S3Error('AccessDenied', `This version of signatures does not sign ${unsigned ?? 'repeated parameters'}.`);
  if (header(request, 'x-amz-content-sha256')?.startsWith('STREAMING'))
    throw new S3Error('NotImplemented', 'This version of signatures has no signed streams.');
  return {
    accessKey,
    signature,
    region,
    date: '',
    timestamp: expires,
    signedHeaders: [],
    via: 'query',
    payload: 'UNSIGNED-PAYLOAD',
    isOlder: true,
  };
}

/** Whether the secret made the signature of an address in the older version. */
export function isSignedOlder(request: S3Request, claim: Claim, secret: string): boolean {
  const expected = createHmac('sha1', secret).update(stringToSign(request, claim)).digest('base64');
  return equal(expected, claim.signature);
}

function stringToSign(request: S3Request, { timestamp }: Claim): string {
  const { method, query, rawPath, bucket } = request;
  const amazon = Object.keys(request.headers)
    .filter((name) => name.startsWith('x-amz-'))
    .sort()
    .map((name) => `${name}:${(header(request, name) ?? '').trim()}\n`);
  const parameters = query.entries
    .filter(([name]) => SIGNED.includes(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`));
  // The host is not signed: a bucket in front of the domain is named here, or one address could mean two keys.
  const host = (header(request, 'host') ?? '').toLowerCase().replace(/:\d+$/, '');
  const path = host.endsWith(`.${settings().s3.domain}`) ? `/${bucket}${rawPath}` : rawPath;
  const resource = `${path}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`;
  const [md5, type] = [header(request, 'content-md5') ?? '', header(request, 'content-type') ?? ''];
  return [method, md5, type, timestamp, `${amazon.join('')}${resource}`].join('\n');
}
