/** Says that a domain has nothing of a kind. It has to be said: what a domain forgets does not compile. */
export const none = 'none';
export type None = typeof none;

/**
 * What the portal needs to know of a domain: plain values that a browser loads, so the file that holds them imports
 * nothing that runs on the server.
 */
export type DomainPortal = {
  /** The beginnings of the paths whose answers a change of a resource makes old, by resource type. */
  readonly topics: Readonly<Record<string, readonly string[]>>;
  /** Audited actions whose name does not read as a sentence, in words that a resource's name follows. */
  readonly actions: Readonly<Record<string, string>> | None;
  /** The groups of the API reference below the heading of a service, by heading. */
  readonly sections: Readonly<Record<string, readonly string[]>>;
};

/** The entries of all domains' parts together; parts that say `none` have none. */
export function merged<T>(parts: readonly (Readonly<Record<string, T>> | None)[]): Record<string, T> {
  return Object.fromEntries(parts.flatMap((part) => (part === none ? [] : Object.entries(part))));
}
