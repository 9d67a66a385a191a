'use client';

import { Download } from 'lucide-react';
import { useState } from 'react';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import type { TableState } from '@/components/kit/table/table-state';
import { TextFilter } from '@/components/kit/table/text-filter';
import { Button } from '@/components/kit/ui/button';
import { Select } from '@/components/kit/ui/select';
import { download } from '@/lib/client/download';
import { useApi } from '@/lib/client/scope';
import { spans } from './words';

interface SpanFilterProps {
  state: TableState;
}

/** Time filter. The URL keeps the moment itself, so that a shared link shows the same entries. */
export function SpanFilter({ state }: SpanFilterProps) {
  const from = state.filter('from');
  const since = from === undefined ? undefined : new Date(from);
  const known = since !== undefined && !Number.isNaN(since.getTime());
  const options = [
    { value: 'all', label: 'All time' },
    ...(known ? [{ value: 'given', label: `Since ${since.toISOString().slice(0, 16).replace('T', ' ')} UTC` }] : []),
    ...spans.map(({ value, label }) => ({ value, label })),
  ];
  return (
    <div className="w-52">
      <Select
        aria-label="Time"
        options={options}
        value={known ? 'given' : 'all'}
        onValueChange={(chosen) => {
          const span = spans.find(({ value }) => value === chosen);
          if (chosen !== 'given') {
            state.set({ from: span && new Date(Date.now() - span.ms).toISOString() });
          }
        }}
      />
    </div>
  );
}

/** Filter by the request that wrote the entries. */
export function RequestFilter({ state }: { state: TableState }) {
  return (
    <TextFilter state={state} name="request_id" label="Request" hint="X-Request-Id of a response, error or log line." />
  );
}

/** Downloads the filtered entries as CSV. */
export function ExportButton({ path, state }: { path: string; state: TableState }) {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const { headers } = useApi();
  const save = async () => {
    setPending(true);
    setError(undefined);
    const { limit: _limit, cursor: _cursor, sort: _sort, ...filters } = state.query;
    await download(path, filters, headers, 'audit-log.csv').catch(setError);
    setPending(false);
  };
  return (
    <>
      <Button pending={pending} onClick={() => void save()}>
        <Download /> Export CSV
      </Button>
      {error !== undefined && <ErrorNotice title="The export failed" error={error} />}
    </>
  );
}
