'use client';

import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { useState } from 'react';
import { QueryField } from '@/components/kit/code/query-field';
import { Card } from '@/components/kit/ui/card';
import { PiecePage } from '../piece-page';

/** Labels of the samples. */
function completion(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/\w+/);
  if (!word) return null;
  return { from: word.from, options: ['level', 'resource_name', 'service'].map((label) => ({ label })) };
}

export default function QueryFieldPage() {
  const [logs, setLogs] = useState('{service="compute"} |= "error"');
  const [metrics, setMetrics] = useState('sum by (resource_name) (rate(nephele_instance_cpu_seconds[5m])');
  const [ran, setRan] = useState<string>();
  return (
    <PiecePage name="query-field">
      <Card title="LogQL">
        <QueryField
          label="LogQL query"
          language="logql"
          completion={completion}
          value={logs}
          onChange={setLogs}
          onRun={() => setRan(logs)}
        />
        <p role="status" className="mt-2 text-ink-muted text-sm">
          {ran === undefined ? 'Press Enter to run the query.' : `Ran ${ran}`}
        </p>
      </Card>
      <Card title="Invalid PromQL">
        <QueryField
          label="Invalid PromQL query"
          language="promql"
          completion={completion}
          value={metrics}
          onChange={setMetrics}
          onRun={() => setRan(metrics)}
          problem={{ line: 1, column: metrics.length + 1, message: 'A ) is missing.' }}
        />
      </Card>
    </PiecePage>
  );
}
