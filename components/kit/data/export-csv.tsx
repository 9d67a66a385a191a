'use client';

import { Download } from 'lucide-react';
import { useState } from 'react';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Button } from '@/components/kit/ui/button';
import { download } from '@/lib/client/download';
import type { ListQuery } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';

interface ExportCsvProps {
  path: string;
  query: ListQuery;
  /** Name of the file. */
  name: string;
}

/** Saves all rows that match the query as a file. */
export function ExportCsv({ path, query, name }: ExportCsvProps) {
  const { headers } = useProject();
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const save = async () => {
    setPending(true);
    setError(undefined);
    await download(path, query, { ...headers, Accept: 'text/csv' }, name).catch(setError);
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
