import { Logs } from 'lucide-react';
import type { NavigationEntry } from '@/components/kit/page/navigation';
import { paths } from '@/lib/paths';

export const logs: NavigationEntry = {
  label: 'Logs',
  shortcut: 'l',
  icon: Logs,
  href: (project) => paths.logs(project),
  keywords: ['logql', 'loki', 'lines', 'tail', 'console', 'errors', 'observability'],
};
