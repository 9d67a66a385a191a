import type { ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, invalid } from '@/lib/core/api/errors';
import { settings } from '@/lib/settings';
import { signingPair } from './credentials';
import { encoded } from './s3/request';
import { presign } from './s3/signature';
import type { Presign } from './schema';

/** What callers of the tenant API wish of objects, wherever these are. */

const MIB = 1024 ** 2;
export const MOST_PARTS = 10_000;

/** A page of a list. */
export type ListWish = {
  prefix?: string | undefined;
  delimiter?: string | undefined;
  versions?: 'true' | 'false' | undefined;
  limit: number;
  cursor?: string | undefined;
};

export const writeCursor = (key: string, version: string) =>
  Buffer.from(JSON.stringify([key, version])).toString('base64url');

/** Key and version of a cursor; neither without one. @throws ApiError 400 */
export function readCursor(cursor: string | undefined): [string, string] | [] {
  if (cursor === undefined) return [];
  try {
    const [key, version] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (typeof key === 'string' && typeof version === 'string' && !key.includes('\0')) return [key, version];
  } catch {
    // Answered below.
  }
  throw invalid('cursor: is not one of this list.');
}

/** @throws ApiError 403 for a PUT by a reader, 400 for half a part */
export function requireUploads(call: ProjectCall, { method, upload_id, part_number }: Presign): void {
  if (method === 'PUT' && call.role === 'reader')
    throw new ApiError('FORBIDDEN', 'method: uploads need the role member.');
  if ((upload_id === undefined) !== (part_number === undefined))
    throw invalid('part_number: a part needs upload_id and part_number.');
  if (upload_id !== undefined && method !== 'PUT') throw invalid('method: parts are sent with PUT.');
}

/** An address for the endpoint that browsers reach, signed by a key that ends with the caller's credential. */
export async function presigned(call: ProjectCall, bucket: string, input: Presign) {
  const { key, method, expires_in, content_type, version_id, download, upload_id, part_number } = input;
  const { url: origin, region } = settings().s3;
  const { access_key, secret } = await signingPair(call);
  const file = key.split('/').at(-1) ?? key;
  const headers: Record<string, string> =
    method === 'PUT' && content_type !== undefined ? { 'content-type': content_type } : {};
  const url = presign({
    origin,
    path: `/${[bucket, ...key.split('/')].map(encoded).join('/')}`,
    method,
    query: {
      ...(version_id === undefined ? {} : { versionId: version_id }),
      ...(upload_id === undefined ? {} : { uploadId: upload_id, partNumber: String(part_number) }),
      ...(download && method === 'GET'
        ? { 'response-content-disposition': `attachment; filename*=UTF-8''${encoded(file)}` }
        : {}),
    },
    headers,
    accessKey: access_key,
    secret,
    region,
    at: call.at,
    expiresIn: expires_in,
  });
  const expires_at = new Date(Math.floor(call.at.getTime() / 1000) * 1000 + expires_in * 1000).toISOString();
  return { url, method, expires_at, headers };
}

/** About a hundred parts, so that several are sent at once and little is sent again; 10,000 at most. */
export function partSizeFor(size: number): number {
  const whole = (parts: number) => Math.ceil(size / parts / MIB) * MIB;
  return Math.max(8 * MIB, Math.min(whole(100), 512 * MIB), whole(MOST_PARTS - 1));
}
