import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const identityProviders: ResourceKind = {
  label: 'Identity providers',
  noun: 'identity provider',
  icon: kindIcon('fingerprint-pattern'),
  href: (project) => paths.identityProviders(project),
  operation: 'listIdentityProviders',
  keywords: ['oidc', 'workload', 'ci', 'github', 'gitlab', 'sts', 'assume role'],
  create: { label: 'Add identity provider', href: paths.newIdentityProvider, operation: 'createIdentityProvider' },
};
