import type { ReactNode } from 'react';
import { CodeBlock } from '@/components/kit/data/code-block';
import { Badge } from '@/components/kit/ui/badge';
import { groups } from '@/lib/client/reference';
import type { ReferenceBody, ReferenceOperation } from '@/lib/core/api/reference';
import { Fields, Shape } from './fields';
import { InlineCode } from './inline-code';
import { Method } from './method';
import { Path } from './path';
import { curlCommand, initialValues, listPaths, requestForm } from './request';
import { TryRequest } from './try-request';

const lists = listPaths(groups);

interface OperationProps {
  operation: ReferenceOperation;
  /** Where the API is, without a path. */
  baseUrl: string;
}

/** One endpoint: what it does, takes and answers, an example, and a way to try it. */
export function Operation({ operation, baseUrl }: OperationProps) {
  const { id, method, path, summary, description, parameters, body, answers, refusals } = operation;
  const form = requestForm(operation, lists);
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="grid scroll-mt-16 gap-x-10 gap-y-5 border-t py-10 first:border-t-0 first:pt-0 xl:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]"
    >
      <div className="min-w-0 space-y-6">
        <header>
          <h2 id={`${id}-title`} className="text-balance font-semibold text-lg tracking-[-0.01em]">
            <a href={`#${id}`} className="rounded-sm hover:underline">
              {summary}
            </a>
          </h2>
          <p className="mt-2 flex items-start gap-2">
            <Method name={method} />
            <Path of={path} className="text-sm" />
          </p>
          <p className="mt-3 max-w-prose text-pretty text-ink-muted text-sm">
            <InlineCode text={description} />
          </p>
        </header>
        {parameters.length > 0 && (
          <Part title="Parameters">
            <Fields
              fields={parameters.map((parameter) => ({
                ...parameter,
                type: `${parameter.type}, ${places[parameter.in]}`,
              }))}
            />
          </Part>
        )}
        {body && (
          <Part title="Body" note={body.content_type}>
            <Shape shape={body.shape} />
          </Part>
        )}
        {answers.map((answer) => (
          <Part key={answer.status} title={`Response ${answer.status}`} note={answer.body?.content_type}>
            {answer.body ? (
              <Shape shape={answer.body.shape} />
            ) : (
              <p className="text-ink-muted text-sm">{answer.description}</p>
            )}
          </Part>
        ))}
        <Part title="Errors">
          <ul className="flex flex-wrap gap-1.5">
            {refusals.flatMap(({ status, codes }) =>
              codes.map((code) => (
                <li key={code}>
                  <Badge className="font-mono">
                    {status} {code}
                  </Badge>
                </li>
              )),
            )}
          </ul>
        </Part>
      </div>
      <div className="min-w-0">
        <div className="space-y-3 xl:sticky xl:top-16">
          <TryRequest operation={form} baseUrl={baseUrl} />
          <CodeBlock code={curlCommand(form, baseUrl, initialValues(form))} label={`request: ${summary}`} />
          {answers.map(
            ({ status, body: answered }) =>
              answered?.example && <Example key={status} status={status} body={answered} summary={summary} />,
          )}
        </div>
      </div>
    </section>
  );
}

const places = { path: 'in the path', query: 'in the query', header: 'a header' } as const;

function Part({ title, note, children }: { title: string; note?: string | undefined; children: ReactNode }) {
  return (
    <div>
      <h3 className="mb-2 flex items-baseline justify-between gap-3 font-medium text-sm">
        {title}
        {note && <span className="font-mono font-normal text-ink-subtle text-xs">{note}</span>}
      </h3>
      {children}
    </div>
  );
}

/** A long answer is scrolled in its own frame, so that the next endpoint stays near. */
function Example({ status, body, summary }: { status: string; body: ReferenceBody; summary: string }) {
  return (
    <div>
      <p className="mb-1 text-ink-subtle text-xs">Response {status}</p>
      <CodeBlock code={body.example ?? ''} label={`answer: ${summary}`} />
    </div>
  );
}
