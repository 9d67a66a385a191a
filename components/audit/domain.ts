import { ScrollText } from 'lucide-react';
import type { ResourceKind } from '@/components/kit/page/navigation';
import { paths } from '@/lib/paths';

export const auditLog: ResourceKind = {
  label: 'Audit log',
  shortcut: 'a',
  noun: 'entry',
  nouns: 'entries',
  icon: ScrollText,
  href: paths.auditLog,
  operation: 'listAudit',
  keywords: ['history', 'who', 'record', 'security'],
};
