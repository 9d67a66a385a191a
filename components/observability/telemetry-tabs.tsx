import type { PageTab } from '@/components/kit/page/address-tabs';
import type { Telemetry } from '@/components/kit/page/navigation';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';

const loading = () => <Skeleton className="h-80 w-full rounded-lg" />;
const ResourceMetrics = lazyComponent(
  () => import('./resource-metrics-view').then((module) => module.default),
  loading,
);
const LogExplorer = lazyComponent(() => import('./log-explorer-view').then((module) => module.default), loading);

/** The tabs of a resource that show its metrics and its logs. Every resource has logs: at least those of its activity. */
export function telemetryTabs(type: string, id: string, { metrics = false }: Telemetry = {}): PageTab[] {
  const metricsTab: PageTab = {
    name: 'metrics',
    former: 'telemetry',
    label: 'Metrics',
    content: () => <ResourceMetrics type={type} id={id} />,
  };
  const logsTab: PageTab = {
    name: 'logs',
    former: 'log',
    label: 'Logs',
    content: () => <LogExplorer fixed={{ resource_id: id }} />,
  };
  return [...(metrics ? [metricsTab] : []), logsTab];
}
