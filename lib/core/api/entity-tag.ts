import { invalid } from './errors';

/** The entity tag of a version number (RFC 9110, 8.8.3). */
export function entityTag(version: number): string {
  return `"${version}"`;
}

/**
 * The versions that `If-Match` of a change allows, or undefined for any. Weak tags count as strong: compressing proxies
 * weaken tags in transit, and a version does not depend on the bytes, so `W/"3"` equals `"3"`.
 * @throws ApiError 400 when the header is malformed
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
