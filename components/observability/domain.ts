import type { NavigationEntry } from '@/components/kit/page/navigation';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { paths } from '@/lib/paths';

export const dashboards: NavigationEntry = {
  label: 'Dashboards',
  shortcut: 'h',
  icon: kindIcon('gauge'),
  href: (project) => paths.dashboards(project),
  keywords: ['health', 'monitoring', 'status', 'cpu', 'incidents', 'observability'],
};

export const metrics: NavigationEntry = {
  label: 'Metrics',
  shortcut: 'e',
  icon: kindIcon('chart-line'),
  href: (project) => paths.metrics(project),
  keywords: ['promql', 'prometheus', 'charts', 'cpu', 'memory', 'telemetry', 'observability'],
};

export const logs: NavigationEntry = {
  label: 'Logs',
  shortcut: 'l',
  icon: kindIcon('logs'),
  href: (project) => paths.logs(project),
  keywords: ['logql', 'loki', 'lines', 'tail', 'console', 'errors', 'observability'],
};
