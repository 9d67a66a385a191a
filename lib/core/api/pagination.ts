import { z } from 'zod';

/** A page of a list with the cursor of the next page, if any. */
export class Page<Item> {
  constructor(
    readonly items: readonly Item[],
    readonly next: string | null,
  ) {}

  map<Other>(change: (item: Item) => Other): Page<Other> {
    return new Page(this.items.map(change), this.next);
  }
}

const paging = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(50)
    .meta({ description: 'Number of items per page, 1 to 200.' }),
  cursor: z.string().max(1024).optional().meta({ description: 'From the `Link` header of the previous page.' }),
};

/** The query parameters of a list: its filters and paging. */
export function listQuery<Filters extends z.ZodRawShape>(filters: Filters) {
  return z.strictObject({ ...filters, ...paging });
}

/** The query of a list without filters. */
export const pageQuery = listQuery({});

type Sort<Column extends string> = Column | `-${Column}`;
type SortSchema<Column extends string> = z.ZodDefault<z.ZodEnum<{ [Value in Sort<Column>]: Value }>>;

/** The query of a list that can be sorted by age or one of these columns; a `-` prefix means descending. */
export function sortedQuery<Filters extends z.ZodRawShape, const Column extends string>(
  filters: Filters,
  columns: readonly Column[],
) {
  const sort = z
    .enum(['created_at', ...columns].flatMap((column) => [column, `-${column}`]))
    .default('-created_at')
    .meta({ description: 'Sort order; prefix a name with `-` for descending.' });
  // TypeScript loses the literal names in `flatMap`.
  return z.strictObject({ ...filters, ...paging, sort: sort as unknown as SortSchema<Column | 'created_at'> });
}
