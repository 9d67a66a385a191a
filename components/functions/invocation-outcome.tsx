'use client';

import type { ReactNode } from 'react';
import { CodeBlock } from '@/components/kit/data/code-block';
import { LogViewer } from '@/components/kit/logs/log-viewer';
import type { Invocation } from './types';

const pretty = (value: unknown) => JSON.stringify(value, null, 2) ?? 'null';

/** The lines of a log as text. The platform's own stand between those of the function. */
const logText = ({ log }: Pick<Invocation, 'log'>) => log.map(({ message }) => message).join('\n');

/** What came of an invocation, and what it wrote: side by side where there is room. */
export function InvocationOutcome({ invocation, stacked = false }: { invocation: Invocation; stacked?: boolean }) {
  const { error, result, log_truncated } = invocation;
  return (
    <div className={stacked ? 'space-y-4' : 'grid gap-4 *:min-w-0 lg:grid-cols-2'}>
      <Part title={error ? 'Error' : 'Result'}>
        {error ? (
          <div className="space-y-2">
            <p className="wrap-anywhere font-medium text-critical-ink text-sm">
              {error.type}: {error.message}
            </p>
            {error.stack && <CodeBlock label="stack" code={error.stack} />}
          </div>
        ) : (
          <CodeBlock label="result" code={pretty(result)} />
        )}
      </Part>
      <Part title="Log">
        {log_truncated && <p className="text-ink-muted text-xs">The log was too long; its beginning is shown.</p>}
        <div className="h-72">
          <LogViewer label="Invocation log" text={logText(invocation)} fill />
        </div>
      </Part>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="space-y-2">
      <h3 className="font-semibold text-sm">{title}</h3>
      {children}
    </section>
  );
}
