import { inProject, withQuery } from '@/lib/address';

/** Links to the pages of the platform itself: account, users, billing. `project` is the project's slug. */
export const platformPaths = {
  home: () => '/',
  /** `again`: asks for the password of somebody who is signed in. */
  signIn: (back?: string, { again = false } = {}) =>
    withQuery('/sign-in', { back: back === '/' ? undefined : back, again: again ? 'true' : undefined }),
  /** Where a person lets an application sign them in. */
  consent: (interaction: string) => `/sign-in/consent/${interaction}`,
  forgotPassword: () => '/forgot-password',
  /** In the fragment, the token reaches no server and no log. */
  resetPassword: (token: string) => `/reset-password#${token}`,
  /** The page where an initial password must be replaced. */
  initialPassword: (back?: string) =>
    back && back !== '/' ? `/initial-password?back=${encodeURIComponent(back)}` : '/initial-password',
  /** The API reference, optionally at a group and one of its endpoints. */
  apiReference: (group?: string, operation?: string) =>
    `/docs${group === undefined ? '' : `/${group}`}${operation === undefined ? '' : `#${operation}`}`,
  overview: (project: string) => inProject(project),
  inventory: (project: string, shown?: { type?: string; tag?: string }) =>
    withQuery(inProject(project, 'inventory'), shown),
  catalog: (project: string) => inProject(project, 'catalog'),
  billing: (project: string) => inProject(project, 'billing'),
  usage: (project: string, filters?: { month?: string; metric?: string; resource_id?: string }) =>
    withQuery(inProject(project, 'billing/usage'), filters),
  billingDetails: (project: string) => inProject(project, 'project/billing-details'),
  budget: (project: string) => inProject(project, 'billing/budget'),
  budgetAlerts: (project: string) => inProject(project, 'billing/alerts'),
  credit: (project: string, shown?: { top_up?: string; checkout?: string }) =>
    withQuery(inProject(project, 'billing/credit'), shown),
  invoices: (project: string) => inProject(project, 'billing/invoices'),
  invoice: (project: string, id: string) => inProject(project, `billing/invoices/${id}`),
  paymentMethods: (project: string, shown?: { checkout?: string }) =>
    withQuery(inProject(project, 'billing/payment-methods'), shown),
  pricing: (project: string) => inProject(project, 'billing/pricing'),
  /** The page of the sandbox processor. It stands in for another company's page, so it only has ids. */
  checkout: (projectId: string, id: string) => `/checkout/${projectId}/${id}`,
  account: (project: string) => inProject(project, 'account'),
  notifications: (project: string) => inProject(project, 'notifications'),
  notificationPreferences: (project: string) => inProject(project, 'notifications/preferences'),
  auditLog: (project: string) => inProject(project, 'security/audit'),
  policy: (project: string) => inProject(project, 'security/policy'),
  identityProviders: (project: string, shown?: { exchange: string }) =>
    withQuery(inProject(project, 'project/identity-providers'), shown),
  newIdentityProvider: (project: string) => inProject(project, 'project/identity-providers/new'),
  ssoClients: (project: string) => inProject(project, 'project/single-sign-on'),
  newSsoClient: (project: string) => inProject(project, 'project/single-sign-on/new'),
  quota: (project: string) => inProject(project, 'project/quota'),
  tokens: (project: string) => inProject(project, 'project/tokens'),
  allTokens: (project: string) => inProject(project, 'project/tokens?of=all'),
  newToken: (project: string) => inProject(project, 'project/tokens/new'),
  users: (project: string) => inProject(project, 'project/users'),
  newUser: (project: string, again?: { email: string; name: string; role: string }) =>
    withQuery(inProject(project, 'project/users/new'), again),
} as const;

/** Paths of the back office, without a host, because it may have its own. */
export const adminPaths = {
  home: () => '/admin',
  signIn: (back?: string) => withQuery('/admin/sign-in', { back: back === '/admin' ? undefined : back }),
  initialPassword: (back?: string) =>
    withQuery('/admin/initial-password', { back: back === '/admin' ? undefined : back }),
  requiredSecondFactor: (back?: string) =>
    withQuery('/admin/second-factor', { back: back === '/admin' ? undefined : back }),
  tenants: (filters?: { status?: 'active' | 'suspended' }) => withQuery('/admin/tenants', filters),
  newTenant: () => '/admin/tenants/new',
  tenant: (id: string) => `/admin/tenants/${id}`,
  tenantLimits: (id: string) => `/admin/tenants/${id}/limits`,
  newTenantAdmin: (id: string) => `/admin/tenants/${id}/admins/new`,
  users: (filters?: { tenant_id?: string }) => withQuery('/admin/users', filters),
  user: (id: string) => `/admin/users/${id}`,
  administrators: () => '/admin/administrators',
  newAdministrator: () => '/admin/administrators/new',
  audit: (filters?: { tenant_id?: string; actor?: string; resource_id?: string }) => withQuery('/admin/audit', filters),
  engines: () => '/admin/engines',
  programs: () => '/admin/programs',
  incidents: (filters?: { status?: 'open' | 'closed'; resource_id?: string }) => withQuery('/admin/incidents', filters),
  operations: (filters?: { tenant_id?: string; status?: string; resource_id?: string }) =>
    withQuery('/admin/operations', filters),
  operation: (id: string) => `/admin/operations/${id}`,
  revenue: (filters?: { month?: string }) => withQuery('/admin/billing', filters),
  invoices: (filters?: { status?: string; month?: string; tenant_id?: string }) =>
    withQuery('/admin/billing/invoices', filters),
  closings: () => '/admin/billing/closings',
  budgets: (filters?: { frozen?: 'true' | 'false'; search?: string }) => withQuery('/admin/billing/budgets', filters),
  credits: (filters?: { tenant_id?: string }) => withQuery('/admin/billing/credits', filters),
  reversals: (filters?: { owed?: 'true'; tenant_id?: string }) => withQuery('/admin/billing/reversals', filters),
  rates: () => '/admin/billing/rates',
  newRate: (of?: { metric?: string }) => withQuery('/admin/billing/rates/new', of),
  reconciliations: (shown?: { differing?: 'true' }) => withQuery('/admin/billing/reconciliations', shown),
  account: () => '/admin/account',
  notifications: () => '/admin/notifications',
  notificationPreferences: () => '/admin/notifications/preferences',
} as const;

/** The gallery of components, for developers and browser tests. */
export const galleryPath = (piece?: string): string =>
  piece === undefined ? '/dev/components' : `/dev/components/${piece}`;

/** Whether an address is one of the back office's pages. */
export function isAdminPage(pathname: string): boolean {
  return /^\/admin(?=[/?#]|$)/.test(pathname);
}

/** The project's slug in a page address, if it is a project page. */
export function projectOf(pathname: string): string | undefined {
  const slug = /^\/projects\/([^/]+)/.exec(pathname)?.[1];
  return slug === undefined ? undefined : decodeURIComponent(slug);
}

/** The page to return to after sign-in. An address on another site is ignored. */
export function safeBack(back: string | null | undefined): string {
  if (!back?.startsWith('/')) return platformPaths.home();
  const here = 'http://here.invalid';
  // Parsed as by the browser: backslashes, tabs and a second slash all lead elsewhere.
  return URL.canParse(back, here) && new URL(back, here).origin === here ? back : platformPaths.home();
}

/** The page to return to after back-office sign-in; anything outside the back office is ignored. */
export function safeAdminBack(back: string | null | undefined): string {
  const page = safeBack(back);
  return isAdminPage(page) ? page : adminPaths.home();
}
