import Link from 'next/link';
import type { ReactNode } from 'react';
import { CodeBlock } from '@/components/kit/data/code-block';
import type { IconComponent } from '@/components/kit/ui/kind-icon';

interface EmptyStateProps {
  icon: IconComponent;
  /** What is not there yet: "No secrets yet". */
  title: string;
  /** What the thing is for, in a sentence a newcomer understands. */
  children: ReactNode;
  /** The button that makes the first one. */
  action?: ReactNode;
  /** The same with curl. */
  command?: string;
  /** The endpoint of the command in the API reference. */
  reference?: string;
}

/** An empty place that teaches what belongs there and how to get the first one. */
export function EmptyState({ icon: Icon, title, children, action, command, reference }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-xl flex-col items-center px-4 py-12 text-center">
      <span className="grid size-11 place-items-center rounded-xl border bg-sunken text-ink-muted">
        <Icon className="size-5" aria-hidden="true" />
      </span>
      <h2 className="mt-4 font-semibold text-base">{title}</h2>
      <p className="mt-1 max-w-md text-pretty text-ink-muted text-sm">{children}</p>
      {action && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
      {command && (
        <div className="mt-7 w-full text-left">
          <p className="mb-1.5 flex flex-wrap justify-between gap-x-3 text-ink-subtle text-xs">
            Or use the API, with a token in $NEPHELE_TOKEN
            {reference && (
              <Link href={reference} prefetch={false} className="rounded-sm text-accent underline underline-offset-2">
                API reference
              </Link>
            )}
          </p>
          <CodeBlock code={command} label="command" />
        </div>
      )}
    </div>
  );
}
