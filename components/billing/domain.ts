import {
  BellRing,
  Building2,
  ChartColumn,
  ChartSpline,
  CreditCard,
  Gauge,
  ReceiptText,
  Tags,
  Wallet,
} from 'lucide-react';
import type { NavigationEntry, ResourceKind } from '@/components/kit/page/navigation';
import { paths } from '@/lib/paths';

export const costs: NavigationEntry = {
  label: 'Costs',
  shortcut: 'c',
  icon: ChartSpline,
  href: paths.billing,
  keywords: ['billing', 'spend', 'forecast', 'money', 'burn', 'price'],
};

export const usage: NavigationEntry = {
  label: 'Usage',
  icon: ChartColumn,
  href: (project) => paths.usage(project),
  keywords: ['metering', 'csv', 'export', 'consumption', 'egress'],
};

export const budget: NavigationEntry = {
  label: 'Budget',
  shortcut: 'b',
  icon: Gauge,
  href: paths.budget,
  keywords: ['limit', 'freeze', 'threshold', 'cap', 'spend'],
};

export const budgetAlerts: ResourceKind = {
  label: 'Budget alerts',
  noun: 'delivery',
  nouns: 'deliveries',
  icon: BellRing,
  href: paths.budgetAlerts,
  keywords: ['notification', 'webhook', 'e-mail', 'delivery', 'signing secret'],
};

export const credit: ResourceKind = {
  label: 'Credit',
  noun: 'entry',
  nouns: 'entries',
  icon: Wallet,
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
  icon: CreditCard,
  href: (project) => paths.paymentMethods(project),
  operation: 'listPaymentMethods',
  keywords: ['card', 'visa', 'mastercard', 'stripe'],
};

export const invoices: ResourceKind = {
  label: 'Invoices',
  noun: 'invoice',
  icon: ReceiptText,
  href: paths.invoices,
  keywords: ['bill', 'pdf', 'statement', 'receipt'],
};

export const rateCard: NavigationEntry = {
  label: 'Rate card',
  icon: Tags,
  href: paths.pricing,
  keywords: ['price', 'rates', 'tariff', 'pricing'],
};

export const billingDetails: NavigationEntry = {
  label: 'Billing details',
  icon: Building2,
  href: paths.billingDetails,
  keywords: ['address', 'company', 'vat', 'tax', 'invoice', 'customer'],
};
