'use client';

import { RotateCcwKey, Settings2, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { clientColumns } from '@/components/sso/client-columns';
import { ssoClients } from '@/components/sso/domain';
import { useMay } from '@/lib/client/may';
import { createSsoClient, listSsoClients } from '@/lib/client/operations/workspace';
import { useProject } from '@/lib/client/project';

const SettingsDialog = lazyComponent(() =>
  import('@/components/sso/settings-dialog').then((module) => module.SettingsDialog),
);

type Shown = { id: string; name: string; client_secret?: string };

/** Applications that members of the project sign in to with their account. */
export default function SingleSignOnPage() {
  const { api } = useProject();
  const mayRotate = useMay('rotateSsoClientSecret');
  const mayDelete = useMay('deleteSsoClient');
  const rotate = api.useMutation('post', '/api/v1/workspace/sso/clients/{id}/secret/rotate');
  const remove = api.useMutation('delete', '/api/v1/workspace/sso/clients/{id}');
  const [shown, show] = useState<Shown>();

  return (
    <>
      <ResourceList
        of={ssoClients}
        list={listSsoClients}
        command={createSsoClient}
        about="Applications, such as Grafana, that members of this project sign in to with their Nephele account."
        empty="Add an application that supports OpenID Connect, and members sign in to it with their account and second factor."
        columns={clientColumns}
        actions={({ id, name }) => [
          { label: 'Settings', icon: Settings2, onSelect: () => show({ id, name }) },
          {
            label: 'Rotate secret',
            icon: RotateCcwKey,
            disabledReason: mayRotate.reason,
            confirmation: {
              title: `Rotate the secret of ${name}?`,
              consequence:
                'The current secret stops working immediately. Nobody can sign in until the application has the new one.',
              confirmLabel: 'Rotate secret',
              onConfirm: async () => show(await rotate.mutateAsync({ params: { path: { id } }, body: {} })),
            },
          },
          {
            label: 'Delete',
            icon: Trash2,
            danger: true,
            disabledReason: mayDelete.reason,
            confirmation: {
              title: `Delete ${name}?`,
              consequence: 'Nobody can sign in to the application any more, and its tokens stop working immediately.',
              confirmLabel: 'Delete application',
              onConfirm: () => remove.mutateAsync({ params: { path: { id } } }),
            },
          },
        ]}
      />
      {shown && <SettingsDialog client={shown} close={() => show(undefined)} />}
    </>
  );
}
