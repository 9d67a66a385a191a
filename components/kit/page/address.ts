/**
 * Sets parameters of the page's address, or removes them (undefined). The router and the server have no part in it.
 * `push` makes a step of the browser's history.
 */
export function setAddress(changes: Record<string, string | undefined>, how: 'replace' | 'push' = 'replace'): void {
  const search = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) search.delete(name);
    else search.set(name, value);
  }
  const query = search.size > 0 ? `?${search}` : '';
  const address = `${window.location.pathname}${query}${window.location.hash}`;
  if (how === 'push') window.history.pushState(null, '', address);
  else window.history.replaceState(null, '', address);
}
