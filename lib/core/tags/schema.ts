import { z } from 'zod';
import { listQuery } from '@/lib/core/api/pagination';
import { id } from '@/lib/core/api/schemas';

/** Tags that a resource can have. */
const MOST_TAGS = 50;

export const tagKey = z
  .string()
  .regex(/^[a-z0-9_.:/-]{1,64}$/, 'must be 1 to 64 of the characters a-z 0-9 _ . : / -')
  .meta({ description: '1 to 64 of `a-z 0-9 _ . : / -`.', example: 'env' });
const tagValue = z
  .string()
  .max(255)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
  .meta({ description: 'Up to 255 characters.', example: 'production' });

const tagRecord = z
  .record(tagKey, tagValue)
  .refine((tags) => Object.keys(tags).length <= MOST_TAGS, `must have at most ${MOST_TAGS} tags`)
  .meta({ description: `Up to ${MOST_TAGS} tags: a value for each key.`, example: { env: 'production' } });
export type Tags = z.output<typeof tagRecord>;

export const tagged = z
  .strictObject({ tags: tagRecord })
  .meta({ id: 'Tags', example: { tags: { env: 'production' } } });

export const tagParams = z.strictObject({
  type: z.string().meta({ description: 'The type of the resource.', example: 'instance' }),
  id,
});

const FILTER = /^[a-z0-9_.:/-]{1,64}(=[^\p{Cc}]{0,255})?$/u;

/** The filter of lists by tags. */
export const tagFilter = z
  .array(z.string().regex(FILTER, 'must be a key, or a key and a value such as env=production'))
  .max(10)
  .optional()
  .meta({
    description:
      'A key, or a key and a value: `env` or `env=production`. Repeat it for resources that have all of them.',
    example: ['env=production'],
  });

export const tagQuery = listQuery({
  search: z.string().max(255).optional().meta({ description: 'Matches the beginning of a key, or of `key=value`.' }),
});

export const tagCount = z
  .strictObject({
    key: tagKey,
    value: tagValue,
    resources: z.int().meta({ description: 'Number of resources with this tag.' }),
  })
  .meta({ id: 'TagCount' });
export type TagCount = z.output<typeof tagCount>;
