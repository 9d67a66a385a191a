'use client';

import { Eye, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Action } from '@/components/kit/table/row-actions';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import type { Row } from '@/lib/client/list';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';

const SecretDialog = lazyComponent(() => import('./secret-dialog').then((module) => module.SecretDialog));

export type Secret = Row<'/api/v1/vault/secrets'>;

/** What can be done with a secret; and the dialog that an action has opened. */
export function useSecretActions(): { actionsOf: (secret: Secret) => Action[]; dialog: ReactNode } {
  const { api } = useProject();
  const refusal = useRefusal();
  const remove = api.useMutation('delete', '/api/v1/vault/secrets/{id}');
  const [shown, setShown] = useState<Secret>();
  const actionsOf = (secret: Secret): Action[] => [
    {
      label: 'Show value',
      icon: Eye,
      disabledReason: refusal('readSecretPayload'),
      onSelect: () => setShown(secret),
    },
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason: refusal('deleteSecret'),
      confirmation: {
        title: `Delete ${secret.name}?`,
        consequence: 'The value is permanently deleted. Applications that still read it will fail.',
        confirmLabel: 'Delete secret',
        typeToConfirm: secret.name,
        onConfirm: () => remove.mutateAsync({ params: { path: { id: secret.id } } }),
      },
    },
  ];
  const dialog = shown && <SecretDialog key={shown.id} secret={shown} close={() => setShown(undefined)} />;
  return { actionsOf, dialog };
}
