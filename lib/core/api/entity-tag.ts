import { invalid } from './errors';

/** The entity tag (RFC 9110, 8.8.3) of something that counts its changes. */
export function entityTag(version: number): string {
  return `"${version}"`;
}

/**
 * The versions that a change's `If-Match` allows; undefined: any. Proxies that compress weaken a tag on its way, and
 * ours names a version and no bytes, so `W/"3"` counts as `"3"`.
 * @throws ApiError 400 when the header is not made of entity tags
 */
export function allowedVersions(headers: Headers): readonly string[] | undefined {
  const header = headers.get('if-match')?.trim();
  if (header === undefined || header === '*') return undefined;
  const tags = header.split(',').map((tag) => /^(?:W\/)?"([\x21\x23-\x7e]*)"$/.exec(tag.trim())?.[1]);
  const versions = tags.filter((tag) => tag !== undefined);
  if (versions.length === 0 || versions.length < tags.length) {
    throw invalid('If-Match: send the `ETag` exactly as received, including its quotes.');
  }
  return versions;
}
