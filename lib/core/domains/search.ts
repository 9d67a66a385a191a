import { type None, none } from './portal';

/** Addresses that lead to a resource: of a table or join with a `project_id`. */
export type AddressSearch = {
  readonly from: string;
  /** The resource's id. */
  readonly id: string;
  readonly project_id: string;
  readonly ip: string | None;
  readonly mac: string | None;
  /** Found by every address in it, and by ranges that overlap it. */
  readonly range: string | None;
};

/** How people find resources of a kind: by id, and by what this names. */
export type ResourceSearch = {
  /** The path of their list: whoever may not read it finds none. */
  readonly list: string;
  /** What a result is called, in SQL over the table's row `r`. */
  readonly title: string;
  /** The column `name` is searched; it needs the two indexes of the migration `search`. */
  readonly by_name: boolean;
  /** Rows without a project are everyone's. */
  readonly has_public: boolean;
  readonly addresses: readonly AddressSearch[] | None;
};

/** Found by its name. */
export function byName(list: string, more: Partial<ResourceSearch> = {}): ResourceSearch {
  return { list, title: 'r.name', by_name: true, has_public: false, addresses: none, ...more };
}

/** Without a name: found by its addresses, and called by one. */
export function byAddress(list: string, title: string, addresses: readonly AddressSearch[]): ResourceSearch {
  return byName(list, { title, by_name: false, addresses });
}
