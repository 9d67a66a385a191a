'use client';

import { Download, PencilRuler, Scale, Trash2, Undo2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Action } from '@/components/kit/table/row-actions';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { download } from '@/lib/client/download';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { type Route, whyNotWeigh } from './types';

const WeightsDialog = lazyComponent(() =>
  import('@/components/gateway/weights-dialog').then((module) => module.WeightsDialog),
);

/** The actions of a route; and the dialog that an action has opened. */
export function useRouteActions({ onDeleted }: { onDeleted?: () => void } = {}): {
  actionsOf: (route: Route) => Action[];
  dialog: ReactNode;
} {
  const { api, headers, project } = useProject();
  const refusal = useRefusal();
  const remove = api.useMutation('delete', '/api/v1/gateway/routes/{id}');
  const rollBack = api.useMutation('post', '/api/v1/gateway/routes/{id}/rollback');
  const [weighing, setWeighing] = useState<Route>();
  const actionsOf = (route: Route): Action[] => {
    const { id, name, url, rollout } = route;
    const params = { path: { id } };
    return [
      {
        label: 'Edit',
        icon: PencilRuler,
        disabledReason: refusal('applyRoute'),
        href: paths.editRoute(project.slug, id),
      },
      {
        label: 'Change weights',
        icon: Scale,
        disabledReason: refusal('applyRoute') ?? whyNotWeigh(route),
        onSelect: () => setWeighing(route),
      },
      {
        label: 'Roll back',
        icon: Undo2,
        disabledReason:
          refusal('rollBackRoute') ??
          (rollout?.state === 'running' ? undefined : 'No rollout of this route is running.'),
        confirmation: {
          title: `Stop the rollout of ${name}?`,
          consequence: 'The weights of before the rollout hold for the next request.',
          confirmLabel: 'Roll back',
          harmless: true,
          onConfirm: async () => {
            await rollBack.mutateAsync({ params });
          },
        },
      },
      {
        label: 'Download manifest',
        icon: Download,
        onSelect: () => void download(`/api/v1/gateway/routes/${id}/manifest`, {}, headers, `${name}.yaml`),
      },
      {
        label: 'Delete',
        icon: Trash2,
        danger: true,
        disabledReason: refusal('deleteRoute'),
        confirmation: {
          title: `Delete ${name}?`,
          consequence: `Requests for ${url} are answered with 404 from now on. Its backends and its certificate stay.`,
          confirmLabel: 'Delete route',
          typeToConfirm: name,
          onConfirm: async () => {
            await remove.mutateAsync({ params });
            onDeleted?.();
          },
        },
      },
    ];
  };
  const dialog = weighing && <WeightsDialog key={weighing.id} route={weighing} close={() => setWeighing(undefined)} />;
  return { actionsOf, dialog };
}
