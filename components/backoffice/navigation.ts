import {
  type NavigationEntry,
  type NavigationGroup,
  type ResourceKind,
  tabbed,
} from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { adminPaths } from '@/lib/paths';

const overview: NavigationEntry = {
  label: 'Overview',
  shortcut: 'o',
  icon: kindIcon('layout-dashboard'),
  href: adminPaths.home,
  keywords: ['home', 'platform', 'numbers'],
};

export const tenants: ResourceKind = {
  label: 'Tenants',
  shortcut: 't',
  noun: 'tenant',
  icon: kindIcon('building-complex'),
  href: () => adminPaths.tenants(),
  keywords: ['project', 'customer', 'quota', 'limit', 'suspend'],
  create: { label: 'Create tenant', href: adminPaths.newTenant, operation: 'createTenant' },
};

export const users: ResourceKind = {
  label: 'Users',
  shortcut: 'u',
  noun: 'user',
  icon: kindIcon('users-round'),
  href: () => adminPaths.users(),
  keywords: ['people', 'account', 'password'],
};

export const revenue: ResourceKind = {
  label: 'Revenue',
  shortcut: 'r',
  noun: 'tenant',
  icon: kindIcon('trending-up'),
  href: () => adminPaths.revenue(),
  keywords: ['billing', 'income', 'spend', 'money'],
};

export const invoices: ResourceKind = {
  label: 'Invoices',
  noun: 'invoice',
  icon: kindIcon('receipt-text'),
  href: () => adminPaths.invoices(),
  keywords: ['payment', 'failed', 'card', 'pdf', 'dunning'],
};

export const closings: ResourceKind = {
  label: 'Monthly closing',
  noun: 'month',
  icon: kindIcon('calendar-check'),
  href: adminPaths.closings,
  keywords: ['close', 'closing', 'month end'],
};

export const budgets: ResourceKind = {
  label: 'Budgets and freezes',
  noun: 'tenant',
  icon: kindIcon('snowflake'),
  href: () => adminPaths.budgets(),
  keywords: ['frozen', 'limit', 'spend'],
};

export const credits: ResourceKind = {
  label: 'Credit',
  noun: 'movement',
  icon: kindIcon('coins'),
  href: () => adminPaths.credits(),
  keywords: ['grant', 'top up', 'prepaid', 'balance'],
};

export const reversals: ResourceKind = {
  label: 'Refunds and disputes',
  noun: 'payment',
  icon: kindIcon('undo-2'),
  href: () => adminPaths.reversals(),
  keywords: ['refund', 'dispute', 'chargeback', 'owed', 'taken back'],
};

export const rates: ResourceKind = {
  label: 'Rates',
  noun: 'metric',
  icon: kindIcon('tags'),
  href: adminPaths.rates,
  keywords: ['price', 'pricing', 'rate card'],
  create: { label: 'Add rate', href: () => adminPaths.newRate(), operation: 'addRate' },
};

export const reconciliations: ResourceKind = {
  label: 'Reconciliation',
  noun: 'check',
  icon: kindIcon('scale'),
  href: () => adminPaths.reconciliations(),
  keywords: ['check', 'difference', 'audit', 'billed'],
};

const engines: NavigationEntry = {
  label: 'Engines',
  shortcut: 'e',
  icon: kindIcon('server'),
  href: adminPaths.engines,
  keywords: ['host', 'health', 'compute', 'kvm'],
};

const programs: NavigationEntry = {
  label: 'Programs',
  icon: kindIcon('package'),
  href: adminPaths.programs,
  keywords: ['services', 'download', 'mirror'],
};

export const operations: ResourceKind = {
  label: 'Operations',
  shortcut: 'p',
  noun: 'operation',
  icon: kindIcon('workflow'),
  href: () => adminPaths.operations(),
  keywords: ['job', 'failed', 'retry', 'worker'],
};

export const incidents: ResourceKind = {
  label: 'Incidents',
  shortcut: 'i',
  noun: 'incident',
  icon: kindIcon('siren'),
  href: () => adminPaths.incidents(),
  keywords: ['problem', 'deadline', 'alert', 'page'],
};

export const auditLog: ResourceKind = {
  label: 'Audit log',
  shortcut: 'a',
  noun: 'entry',
  nouns: 'entries',
  icon: kindIcon('scroll-text'),
  href: () => adminPaths.audit(),
  keywords: ['who', 'history', 'record'],
};

export const administrators: ResourceKind = {
  label: 'Administrators',
  noun: 'administrator',
  icon: kindIcon('shield-user'),
  href: adminPaths.administrators,
  create: { label: 'Add administrator', href: adminPaths.newAdministrator, operation: 'createAdministrator' },
};

const account: NavigationEntry = {
  label: 'Your account',
  icon: kindIcon('circle-user-round'),
  href: adminPaths.account,
  keywords: ['password', 'two-factor', '2fa', 'second factor', 'totp', 'sessions'],
};

/** The back office's pages. */
export const adminNavigation: readonly NavigationGroup[] = [
  { entries: [overview] },
  { label: 'Customers', entries: [tenants, users] },
  {
    label: 'Billing',
    entries: [revenue, invoices, credits, rates, tabbed([closings, reconciliations, reversals, budgets], 'Controls')],
  },
  { label: 'Platform', entries: [engines, programs, operations, incidents] },
  { label: 'Administration', entries: [auditLog, administrators, account] },
];
