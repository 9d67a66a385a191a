/** The one builder of links: no page writes an address by hand. `project` is the project's slug. */
export const paths = {
  home: () => '/',
  signIn: (back?: string) => (back && back !== '/' ? `/sign-in?back=${encodeURIComponent(back)}` : '/sign-in'),
  apiReference: () => '/docs',
  overview: (project: string) => inProject(project),
  secrets: (project: string) => inProject(project, 'secrets'),
  newSecret: (project: string) => inProject(project, 'secrets/new'),
} as const;

/** An address below a project's. */
function inProject(project: string, page?: string): string {
  return `/projects/${encodeURIComponent(project)}${page === undefined ? '' : `/${page}`}`;
}

/** The project's slug in the address of a page, if it is a project's page. */
export function projectOf(pathname: string): string | undefined {
  const slug = /^\/projects\/([^/]+)/.exec(pathname)?.[1];
  return slug === undefined ? undefined : decodeURIComponent(slug);
}

/** Where sign-in leads back to: the page that asked for it. An address that is not this site's counts as none. */
export function safeBack(back: string | null | undefined): string {
  if (!back?.startsWith('/')) return paths.home();
  const here = 'http://here.invalid';
  // Parsed as the browser will: backslashes, tabs and a second slash all lead elsewhere.
  return URL.canParse(back, here) && new URL(back, here).origin === here ? back : paths.home();
}
