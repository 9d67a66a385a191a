import { Vault } from 'lucide-react';
import type { ResourceKind } from '@/components/kit/page/navigation';
import { paths } from '@/lib/paths';

export const secrets: ResourceKind = {
  label: 'Secrets',
  shortcut: 's',
  noun: 'secret',
  icon: Vault,
  href: paths.secrets,
  keywords: ['password', 'key', 'certificate', 'vault'],
  create: { label: 'Create secret', href: paths.newSecret, operation: 'createSecret' },
};
