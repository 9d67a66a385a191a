import { ChartLine, Gauge, Logs } from 'lucide-react';
import type { NavigationEntry } from '@/components/kit/page/navigation';
import { paths } from '@/lib/paths';

export const dashboards: NavigationEntry = {
  label: 'Dashboards',
  shortcut: 'h',
  icon: Gauge,
  href: (project) => paths.dashboards(project),
  keywords: ['health', 'monitoring', 'status', 'cpu', 'incidents', 'observability'],
};

export const metrics: NavigationEntry = {
  label: 'Metrics',
  shortcut: 'e',
  icon: ChartLine,
  href: (project) => paths.metrics(project),
  keywords: ['promql', 'prometheus', 'charts', 'cpu', 'memory', 'telemetry', 'observability'],
};

export const logs: NavigationEntry = {
  label: 'Logs',
  shortcut: 'l',
  icon: Logs,
  href: (project) => paths.logs(project),
  keywords: ['logql', 'loki', 'lines', 'tail', 'console', 'errors', 'observability'],
};
