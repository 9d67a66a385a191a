import type { ResourceKind } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const ssoClients: ResourceKind = {
  label: 'Single sign-on',
  noun: 'application',
  icon: kindIcon('app-window'),
  href: (project) => paths.ssoClients(project),
  operation: 'listSsoClients',
  keywords: ['oidc', 'openid connect', 'sso', 'oauth', 'client', 'grafana', 'login'],
  create: { label: 'Add application', href: paths.newSsoClient, operation: 'createSsoClient' },
};
