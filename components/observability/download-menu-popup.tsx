'use client';

import type { ReactElement } from 'react';
import { Menu, MenuContent, MenuItem, MenuTrigger } from '@/components/kit/ui/menu';
import { notify } from '@/components/kit/ui/notify';
import { saveFile } from '@/lib/client/download';
import { useProject } from '@/lib/client/project';
import { linesAsJson, linesAsText } from './log-file';
import type { LogRecord } from './log-records';
import { type LogQuestion, readForDownload } from './use-log-query';

export interface DownloadMenuProps {
  question: LogQuestion;
}

const forms: readonly {
  label: string;
  name: string;
  type: string;
  write: (records: readonly LogRecord[]) => string;
}[] = [
  { label: 'Text', name: 'logs.txt', type: 'text/plain', write: linesAsText },
  { label: 'JSON', name: 'logs.json', type: 'application/json', write: linesAsJson },
];

/** The opened menu of formats. A file has up to 5,000 lines. */
export function DownloadMenuPopup({ trigger, question }: DownloadMenuProps & { trigger: ReactElement }) {
  const { client } = useProject();
  return (
    <Menu defaultOpen>
      <MenuTrigger asChild>{trigger}</MenuTrigger>
      <MenuContent>
        {forms.map(({ label, name, type, write }) => (
          <MenuItem
            key={label}
            onSelect={() =>
              void readForDownload(client, question).then(
                (records) => saveFile(new Blob([write(records)], { type }), name),
                (error: unknown) =>
                  notify('error', 'The lines could not be downloaded', {
                    description: error instanceof Error ? error.message : undefined,
                  }),
              )
            }
          >
            {label}
          </MenuItem>
        ))}
      </MenuContent>
    </Menu>
  );
}
