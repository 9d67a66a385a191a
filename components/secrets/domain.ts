import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const secrets: ResourceKind = {
  label: 'Secrets',
  shortcut: 's',
  noun: 'secret',
  icon: kindIcon('vault'),
  href: paths.secrets,
  keywords: ['password', 'key', 'certificate', 'vault'],
  create: { label: 'Create secret', href: paths.newSecret, operation: 'createSecret' },
  found: { type: 'secret', one: (project, _, search) => paths.secrets(project, search) },
};
