'use client';

import type { ReactNode } from 'react';
import { CopyAs } from '@/components/kit/copy/copy-as';
import { CreateLink } from '@/components/kit/page/create-link';
import type { ResourceKind } from '@/components/kit/page/navigation';
import { Page } from '@/components/kit/page/page';
import { useProjectIfAny } from '@/lib/client/project';
import { type ListOperation, ResourceTable, type ResourceTableProps, useListQuery } from './resource-table';

interface ResourceListProps<O extends ListOperation> extends ResourceTableProps<O> {
  of: ResourceKind;
  /** What the page is for, in one sentence. */
  about: ReactNode;
  /** More buttons beside the one that creates. */
  buttons?: ReactNode;
  /** Between the title and the table. */
  above?: ReactNode;
}

/** The page of a list: its title, the way to a new one, the table. Dialogs of its actions are its `children`. */
export function ResourceList<O extends ListOperation>(props: ResourceListProps<O>) {
  const { about, buttons, above, ...table } = props;
  const { query } = useListQuery(props);
  const create = props.create ?? <CreateOne of={props.of} />;
  return (
    <Page
      title={props.of.label}
      description={about}
      actions={
        <>
          <CopyAs call={() => ({ operation: props.list, query })} />
          {buttons}
          {create}
        </>
      }
    >
      {above}
      <ResourceTable {...table} create={create} />
    </Page>
  );
}

/** The link to the form that creates one, if there is one. */
export function CreateOne({ of: { create } }: { of: ResourceKind }) {
  const project = useProjectIfAny()?.slug ?? '';
  return create && <CreateLink label={create.label} href={create.href(project)} operation={create.operation} />;
}
