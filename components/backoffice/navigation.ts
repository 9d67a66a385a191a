import {
  Building2,
  CalendarCheck,
  CircleUserRound,
  Coins,
  LayoutDashboard,
  Package,
  ReceiptText,
  Scale,
  ScrollText,
  Server,
  ShieldUser,
  Siren,
  Snowflake,
  Tags,
  TrendingUp,
  Undo2,
  UsersRound,
  Workflow,
} from 'lucide-react';
import { type NavigationEntry, type NavigationGroup, tabbed } from '@/components/kit/page/navigation';
import { adminPaths } from '@/lib/paths';

const closings: NavigationEntry = {
  label: 'Monthly closing',
  icon: CalendarCheck,
  href: adminPaths.closings,
  keywords: ['close', 'closing', 'month end'],
};

const freezes: NavigationEntry = {
  label: 'Budgets and freezes',
  icon: Snowflake,
  href: () => adminPaths.budgets(),
  keywords: ['frozen', 'limit', 'spend'],
};

const reversals: NavigationEntry = {
  label: 'Refunds and disputes',
  icon: Undo2,
  href: () => adminPaths.reversals(),
  keywords: ['refund', 'dispute', 'chargeback', 'owed', 'taken back'],
};

const reconciliation: NavigationEntry = {
  label: 'Reconciliation',
  icon: Scale,
  href: () => adminPaths.reconciliations(),
  keywords: ['check', 'difference', 'audit', 'billed'],
};

/** The back office's pages. */
export const adminNavigation: readonly NavigationGroup[] = [
  {
    entries: [
      { label: 'Overview', icon: LayoutDashboard, href: adminPaths.home, keywords: ['home', 'platform', 'numbers'] },
    ],
  },
  {
    label: 'Customers',
    entries: [
      {
        label: 'Tenants',
        icon: Building2,
        href: () => adminPaths.tenants(),
        keywords: ['project', 'customer', 'quota', 'limit', 'suspend'],
        create: { label: 'Create tenant', href: adminPaths.newTenant, operation: 'createTenant' },
      },
      { label: 'Users', icon: UsersRound, href: () => adminPaths.users(), keywords: ['people', 'account', 'password'] },
    ],
  },
  {
    label: 'Billing',
    entries: [
      {
        label: 'Revenue',
        icon: TrendingUp,
        href: () => adminPaths.revenue(),
        keywords: ['billing', 'income', 'spend', 'money'],
      },
      {
        label: 'Invoices',
        icon: ReceiptText,
        href: () => adminPaths.invoices(),
        keywords: ['payment', 'failed', 'card', 'pdf', 'dunning'],
      },
      {
        label: 'Credit',
        icon: Coins,
        href: () => adminPaths.credits(),
        keywords: ['grant', 'top up', 'prepaid', 'balance'],
      },
      {
        label: 'Rates',
        icon: Tags,
        href: adminPaths.rates,
        keywords: ['price', 'pricing', 'rate card'],
        create: { label: 'Add rate', href: () => adminPaths.newRate(), operation: 'addRate' },
      },
      tabbed([closings, reconciliation, reversals, freezes], 'Controls'),
    ],
  },
  {
    label: 'Platform',
    entries: [
      { label: 'Engines', icon: Server, href: adminPaths.engines, keywords: ['host', 'health', 'compute', 'kvm'] },
      { label: 'Programs', icon: Package, href: adminPaths.programs, keywords: ['services', 'download', 'mirror'] },
      {
        label: 'Operations',
        icon: Workflow,
        href: () => adminPaths.operations(),
        keywords: ['job', 'failed', 'retry', 'worker'],
      },
      {
        label: 'Incidents',
        icon: Siren,
        href: () => adminPaths.incidents(),
        keywords: ['problem', 'deadline', 'alert', 'page'],
      },
    ],
  },
  {
    label: 'Administration',
    entries: [
      { label: 'Audit log', icon: ScrollText, href: () => adminPaths.audit(), keywords: ['who', 'history', 'record'] },
      {
        label: 'Administrators',
        icon: ShieldUser,
        href: adminPaths.administrators,
        create: { label: 'Add administrator', href: adminPaths.newAdministrator, operation: 'createAdministrator' },
      },
      {
        label: 'Your account',
        icon: CircleUserRound,
        href: adminPaths.account,
        keywords: ['password', 'two-factor', '2fa', 'second factor', 'totp', 'sessions'],
      },
    ],
  },
];
