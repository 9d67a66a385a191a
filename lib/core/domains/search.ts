import { type None, none } from './portal';

/** Searchable addresses of a resource, from a table or join with a `project_id`. */
export type AddressSearch = {
  readonly from: string;
  /** The column with the resource's id. */
  readonly id: string;
  readonly project_id: string;
  readonly ip: string | None;
  readonly mac: string | None;
  /** A range column: matches addresses inside it and overlapping ranges. */
  readonly range: string | None;
};

/** How search and inventory read a resource type. Its id is always searchable. */
export type ResourceSearch = {
  /** The path of its list endpoint. Callers without access to the list get no results. */
  readonly list: string;
  /** The title of a result: SQL over the table's row `r`. */
  readonly title: string;
  /** Searches the column `name`, which needs the two indexes of the migration `search`. */
  readonly by_name: boolean;
  /** Each status and its condition where no column has the status: SQL over the table's row `r`. No two of them meet. */
  readonly status: Readonly<Record<string, string>> | None;
  /** Rows without a project are public. */
  readonly has_public: boolean;
  readonly addresses: readonly AddressSearch[] | None;
};

/** Resources found by name. */
export function byName(list: string, more: Partial<ResourceSearch> = {}): ResourceSearch {
  return { list, title: 'r.name', by_name: true, status: none, has_public: false, addresses: none, ...more };
}

/** Resources without a name, found and titled by their addresses. */
export function byAddress(
  list: string,
  title: string,
  addresses: readonly AddressSearch[],
  more: Partial<ResourceSearch> = {},
): ResourceSearch {
  return byName(list, { title, by_name: false, addresses, ...more });
}
