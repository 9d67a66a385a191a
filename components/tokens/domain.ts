import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const tokens: ResourceKind = {
  label: 'API tokens',
  shortcut: 't',
  noun: 'token',
  icon: kindIcon('key-square'),
  href: paths.tokens,
  keywords: ['credential', 'script', 'ci', 'key'],
  create: { label: 'Create API token', href: paths.newToken, operation: 'createToken' },
};
