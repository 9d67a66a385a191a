'use client';

import { Page } from '@/components/kit/page/page';
import { MetricExplorer } from '@/components/observability/metric-explorer';

/** Charts of all metrics of the project. */
export default function MetricsPage() {
  return (
    <Page full title="Metrics" description="What resources use and do, every 15 seconds.">
      <MetricExplorer />
    </Page>
  );
}
