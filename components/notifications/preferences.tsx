'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { CheckboxListField } from '@/components/kit/form/checkbox-list-field';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { Loaded } from '@/components/kit/page/loaded';
import { Page } from '@/components/kit/page/page';
import { notify } from '@/components/kit/ui/notify';
import { Skeleton } from '@/components/kit/ui/skeleton';
import type { Call } from '@/lib/client/commands';
import { useProjectIfAny } from '@/lib/client/project';
import { useNotificationKind } from './use-notifications';
import { kindLabels, kindPurposes, type Notification } from './words';

interface Preferences<Kind> {
  muted: readonly Kind[];
}

interface PreferencesPageProps<Kind> {
  kinds: readonly Kind[];
  preferences: UseQueryResult<Preferences<Kind>, unknown>;
  operation: Call['operation'];
  save: (muted: Kind[]) => Promise<unknown>;
  /** Why the last change was refused. */
  error: unknown;
}

/** The person chooses the kinds of events to be notified of. */
export function PreferencesPage<Kind extends Notification['kind']>(props: PreferencesPageProps<Kind>) {
  const project = useProjectIfAny()?.slug ?? '';
  const { kind } = useNotificationKind();
  const list = kind.href(project);
  return (
    <Page
      title="Notification preferences"
      description="Your own choice. It does not affect other people."
      parents={[{ label: kind.label, href: list }]}
      narrow
    >
      <Loaded
        query={props.preferences}
        what="Your preferences"
        skeleton={<Skeleton className="h-48 w-full max-w-2xl" />}
      >
        {({ muted }) => <PreferencesForm {...props} muted={muted} list={list} />}
      </Loaded>
    </Page>
  );
}

const schema = z.object({ wanted: z.array(z.string()) });

interface PreferencesFormProps<Kind> extends PreferencesPageProps<Kind> {
  muted: readonly Kind[];
  /** The page of notifications. */
  list: string;
}

function PreferencesForm<Kind extends Notification['kind']>(props: PreferencesFormProps<Kind>) {
  const { kinds, muted, list, operation, save, error } = props;
  const form = useSchemaForm(schema, { wanted: kinds.filter((kind) => !muted.includes(kind)) });
  const mutedBy = ({ wanted }: z.output<typeof schema>) => kinds.filter((kind) => !wanted.includes(kind));
  return (
    <FormShell
      form={form}
      loading={false}
      error={error}
      failure="Your preferences could not be saved"
      submitLabel="Save preferences"
      cancel={list}
      copy={{ operation, schema, body: (values) => ({ muted: mutedBy(values) }) }}
      onSubmit={async (values) => {
        await save(mutedBy(values));
        form.reset(values);
        void notify('success', 'Notification preferences saved');
      }}
    >
      <CheckboxListField
        control={form.control}
        name="wanted"
        label="Notify me of"
        description={() => 'Applies from now on. Earlier notifications stay.'}
        items={kinds.map((kind) => ({ value: kind, label: kindLabels[kind], description: kindPurposes[kind] }))}
      />
    </FormShell>
  );
}
