import type { NavigationEntry, ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const costs: NavigationEntry = {
  label: 'Costs',
  shortcut: 'c',
  icon: kindIcon('chart-spline'),
  href: paths.billing,
  keywords: ['billing', 'spend', 'forecast', 'money', 'burn', 'price'],
};

export const usage: NavigationEntry = {
  label: 'Usage',
  icon: kindIcon('chart-column'),
  href: (project) => paths.usage(project),
  keywords: ['metering', 'csv', 'export', 'consumption', 'egress'],
};

export const budget: ResourceKind = {
  label: 'Budget',
  noun: 'budget',
  shortcut: 'b',
  icon: kindIcon('gauge'),
  href: paths.budget,
  keywords: ['limit', 'freeze', 'threshold', 'cap', 'spend'],
  found: { type: 'budget', one: paths.budget },
};

export const budgetAlerts: ResourceKind = {
  label: 'Budget alerts',
  noun: 'delivery',
  nouns: 'deliveries',
  icon: kindIcon('bell-ring'),
  href: paths.budgetAlerts,
  keywords: ['notification', 'webhook', 'e-mail', 'delivery', 'signing secret'],
};

export const credit: ResourceKind = {
  label: 'Credit',
  noun: 'entry',
  nouns: 'entries',
  icon: kindIcon('wallet'),
  href: (project) => paths.credit(project),
  keywords: ['top-up', 'prepaid', 'balance', 'pay', 'ledger'],
  create: {
    label: 'Add credit',
    href: (project) => paths.credit(project, { top_up: '25' }),
    operation: 'createCheckoutSession',
  },
};

export const paymentMethods: ResourceKind = {
  label: 'Payment methods',
  noun: 'card',
  icon: kindIcon('credit-card'),
  href: (project) => paths.paymentMethods(project),
  operation: 'listPaymentMethods',
  keywords: ['card', 'visa', 'mastercard', 'stripe'],
};

export const invoices: ResourceKind = {
  label: 'Invoices',
  noun: 'invoice',
  icon: kindIcon('receipt-text'),
  href: paths.invoices,
  keywords: ['bill', 'pdf', 'statement', 'receipt'],
};

export const rateCard: NavigationEntry = {
  label: 'Rate card',
  icon: kindIcon('tags'),
  href: paths.pricing,
  keywords: ['price', 'rates', 'tariff', 'pricing'],
};

export const billingDetails: NavigationEntry = {
  label: 'Billing details',
  icon: kindIcon('building-complex'),
  href: paths.billingDetails,
  keywords: ['address', 'company', 'vat', 'tax', 'invoice', 'customer'],
};
