'use client';

import { ZoomIn, ZoomOut } from 'lucide-react';
import { useMemo } from 'react';
import { CopyButton } from '@/components/kit/data/copy-button';
import { Button } from '@/components/kit/ui/button';
import { useProject } from '@/lib/client/project';
import { formatExact } from '@/lib/format/time';
import { paths } from '@/lib/paths';
import { lineId } from './log-link';
import { type Field, fieldsOf, type LogRecord, shownLabels } from './log-records';
import type { FieldFilter } from './query-text';

export interface LogDetailsProps {
  record: LogRecord;
  /** The query of links to the line. */
  query: string;
  onFilter?: (filter: FieldFilter) => void;
  onContext?: (record: LogRecord) => void;
}

/** The labels and fields of a line, each a filter with one press. */
export function LogDetails({ record, query, onFilter, onContext }: LogDetailsProps) {
  const { project } = useProject();
  const parsed = useMemo(() => fieldsOf(record.line), [record.line]);
  // A stage of the query may have made labels of some.
  const fields = parsed?.fields.filter(({ name }) => !(name in record.labels)) ?? [];
  return (
    <div className="space-y-3 border-line border-t bg-surface px-4 py-3 font-sans text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <time dateTime={new Date(record.at).toISOString()} className="mr-auto text-ink-muted text-xs">
          {formatExact(record.at)}
        </time>
        {onContext && (
          <Button size="sm" onClick={() => onContext(record)}>
            Show context
          </Button>
        )}
        <CopyButton
          value={`${window.location.origin}${paths.logs(project.slug, { query, line: { id: lineId(record), at: record.at } })}`}
          label="link"
          labelled
        />
        <CopyButton value={record.line} label="line" labelled />
      </div>
      <Fields title="Labels" fields={shownLabels(record.labels)} onFilter={onFilter} />
      {parsed && fields.length > 0 && (
        <Fields
          title="Fields"
          fields={fields}
          onFilter={onFilter && ((filter) => onFilter({ ...filter, stage: parsed.stage }))}
        />
      )}
    </div>
  );
}

interface FieldsProps {
  title: string;
  fields: readonly Field[];
  onFilter: ((filter: FieldFilter) => void) | undefined;
}

function Fields({ title, fields, onFilter }: FieldsProps) {
  return (
    <section>
      <h3 className="mb-1 font-medium text-ink-muted text-xs">{title}</h3>
      <dl className="divide-y divide-line/60 rounded-md border">
        {fields.map(({ name, value }) => (
          <div key={name} className="flex flex-wrap items-center gap-x-3 px-2 py-0.5">
            <dt className="w-36 shrink-0 truncate font-mono text-ink-muted text-xs max-sm:w-full">{name}</dt>
            <dd className="flex min-w-0 flex-1 items-center gap-1">
              <span className="wrap-anywhere min-w-0 flex-1 font-mono text-xs">{value}</span>
              {onFilter && (
                <>
                  <Button
                    size="icon-sm"
                    variant="quiet"
                    aria-label={`Filter for ${name} ${value}`}
                    title="Filter for this value"
                    onClick={() => onFilter({ name, value, op: '=' })}
                  >
                    <ZoomIn />
                  </Button>
                  <Button
                    size="icon-sm"
                    variant="quiet"
                    aria-label={`Filter out ${name} ${value}`}
                    title="Filter out this value"
                    onClick={() => onFilter({ name, value, op: '!=' })}
                  >
                    <ZoomOut />
                  </Button>
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
