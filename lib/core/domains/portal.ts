/** Marks a part that a domain does not have. It must be stated: a missing part does not compile. */
export const none = 'none';
export type None = typeof none;

/** The portal's view of a domain. Browsers load it, so its file imports nothing that needs the server. */
export type DomainPortal = {
  /** By resource type, the path prefixes of the answers that a change of a resource invalidates. */
  readonly topics: Readonly<Record<string, readonly string[]>>;
  /** Readable phrases for audited actions whose name does not read well; the resource's name follows. */
  readonly actions: Readonly<Record<string, string>> | None;
  /** The API reference groups of each service, by its heading. */
  readonly sections: Readonly<Record<string, readonly string[]>>;
};

/** Merges a part of all domains; `none` adds nothing. */
export function merged<T>(parts: readonly (Readonly<Record<string, T>> | None)[]): Record<string, T> {
  return Object.fromEntries(parts.flatMap((part) => (part === none ? [] : Object.entries(part))));
}
