/** An address with its query; undefined parameters are left out. */
export function withQuery(path: string, query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}

/** An address within a project, by its slug. */
export function inProject(project: string, page?: string): string {
  return `/projects/${encodeURIComponent(project)}${page === undefined ? '' : `/${page}`}`;
}
