import type { NavigationEntry } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const policySimulator: NavigationEntry = {
  label: 'Policy simulator',
  icon: kindIcon('shield-question-mark'),
  href: paths.policy,
  keywords: ['permission', 'iam', 'may', 'simulate', 'access'],
};
