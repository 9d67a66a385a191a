import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const auditLog: ResourceKind = {
  label: 'Audit log',
  shortcut: 'a',
  noun: 'entry',
  nouns: 'entries',
  icon: kindIcon('scroll-text'),
  href: paths.auditLog,
  operation: 'listAudit',
  keywords: ['history', 'who', 'record', 'security'],
};
