import { S3Error } from './errors';
import { decoded } from './request';
import { element, list, parseXml, text } from './xml';

type Tags = Record<string, string>;

function requireTags(pairs: readonly (readonly [string, string])[], most: number): Tags {
  if (pairs.length > most) throw new S3Error('InvalidTag', `Object tags cannot be greater than ${most}`);
  for (const [name, value] of pairs) {
    // PostgreSQL can't hold the character zero.
    if (name === '' || [...name].length > 128 || name.includes('\0'))
      throw new S3Error('InvalidTag', 'The TagKey you have provided is invalid.');
    if ([...value].length > 256 || value.includes('\0'))
      throw new S3Error('InvalidTag', 'The TagValue you have provided is invalid.');
  }
  const tags = Object.fromEntries(pairs);
  if (Object.keys(tags).length < pairs.length)
    throw new S3Error('InvalidTag', 'Cannot provide multiple Tags with the same key.');
  return tags;
}

/** The tags of the header `x-amz-tagging`, which is a query. @throws S3Error InvalidTag, InvalidArgument */
export function parseTagHeader(value: string | undefined): Tags | null {
  if (value === undefined || value === '') return null;
  const pairs = value.split('&').map((part) => {
    const [name = '', ...rest] = part.split('=');
    const read = (piece: string) => decoded(piece.replace(/\+/g, ' '));
    return [read(name), read(rest.join('='))] as const;
  });
  return requireTags(pairs, 10);
}

/** @throws S3Error MalformedXML, InvalidTag */
export function parseTags(body: string, most: number): Tags {
  const set = parseXml(body, 'Tagging');
  if (!set) throw new S3Error('MalformedXML');
  const pairs = list(element(set.TagSet)?.Tag).map((tag) => {
    const { Key, Value } = element(tag) ?? {};
    const name = text(Key);
    if (name === undefined) throw new S3Error('MalformedXML');
    return [name, text(Value) ?? ''] as const;
  });
  return requireTags(pairs, most);
}

export const tagElements = (tags: Tags) => ({
  Tag: Object.entries(tags)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([Key, Value]) => ({ Key, Value })),
});
