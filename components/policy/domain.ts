import { ShieldQuestionMark } from 'lucide-react';
import type { NavigationEntry } from '@/components/kit/page/navigation';
import { paths } from '@/lib/paths';

export const policySimulator: NavigationEntry = {
  label: 'Policy simulator',
  icon: ShieldQuestionMark,
  href: paths.policy,
  keywords: ['permission', 'iam', 'may', 'simulate', 'access'],
};
