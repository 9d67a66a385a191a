import type { Domain } from '@/lib/core/domains/domain';
import { merged } from '@/lib/core/domains/portal';
import { domains } from './domains';

/** The tags of the API reference of a platform with these domains, each with a description. */
export const tagsOf = (of: readonly Domain[]): Readonly<Record<string, string>> => ({
  Authentication: 'Sign-in, two-factor authentication, and your own profile, password and sessions.',
  'Users and roles': 'Members of the project, their roles, and invitations.',
  'API tokens': 'Long-lived credentials for scripts: shown once, limited by role and expiry.',
  Access: 'What an identity may do, and short-lived credentials for workloads.',
  'Single sign-on': 'Applications that members of the project sign in to with their account.',
  Quota: 'The nine hard limits of the project, current use and what is left.',
  ...merged(of.map((domain) => domain.tags)),
  Catalog: 'The services of the platform, and which of them the project uses.',
  Inventory: 'All resources of the project in one list, and their tags.',
  Metrics: 'CPU, RAM, network and disk over time, and queries in PromQL.',
  Billing: 'Usage, costs, the budget, credit and the rate card.',
  Payments: 'Cards, prepaid credit, and events from the payment processor.',
  Invoices: 'The cost of each month, line by line.',
  'Budget alerts': 'Budget alerts, their recipients and their delivery.',
  Audit: 'Who did what, when, from where, and with what result.',
  Operations: 'Background work on the project’s resources, stage by stage.',
  Events: 'A stream of change notifications.',
  Notifications: 'What you should know: thresholds, failed operations, certificates that expire, invitations.',
  Search: 'Resources of every type, by name, id or address.',
  'Back office: authentication': 'Administrator sign-in, separate from tenant sign-in.',
  'Back office: administrators': 'The platform’s administrators.',
  'Back office: overview': 'Platform-wide figures.',
  'Back office: tenants': 'Create, limit and suspend tenant projects.',
  'Back office: billing': 'Rates, credit, tenant spend, and reconciliation of metering.',
  'Back office: users': 'Users of all projects.',
  'Back office: audit': 'The audit log of the whole platform.',
  'Back office: engines': 'Status of the engines on each host, and the programs that services run.',
  'Back office: operations': 'Running and failed operations, and retries.',
  'Back office: incidents': 'Missed deadlines and other problems that need an operator.',
  'Back office: events': 'Change notifications from all projects.',
  'Back office: notifications': 'New incidents, for each administrator until they have read them.',
  'Back office: search': 'Tenants, users, and resources by id.',
});

/** The tags that endpoints can use. */
export const tags = tagsOf(domains);
