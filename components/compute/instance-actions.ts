'use client';

import { CirclePlay, CircleStop, Pause, Play, RotateCw, SquareTerminal, Trash2 } from 'lucide-react';
import { useConfirm } from '@/components/page/confirm';
import type { Action } from '@/components/table/row-actions';
import { notify } from '@/components/ui/notify';
import { ApiError } from '@/lib/client/errors';
import type { Row } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { whyNot } from './instance-can';

export type Instance = Row<'/api/v1/compute/instances'>;

/** What can be done with an instance, for its row and for its page; each as the state allows. */
export function useInstanceActions({ onDeleted }: { onDeleted?: () => void } = {}): (instance: Instance) => Action[] {
  const { project, api } = useProject();
  const confirm = useConfirm();
  const act = api.useMutation('post', '/api/v1/compute/instances/{id}/action');
  const remove = api.useMutation('delete', '/api/v1/compute/instances/{id}');
  const openConsole = useOpenConsole();

  return (instance) => {
    const { id, name } = instance;
    const reason = (action: Parameters<typeof whyNot>[0]) => whyNot(action, instance, project.role);
    const send = (action: 'start' | 'stop' | 'reboot' | 'pause' | 'unpause') =>
      act.mutateAsync({ params: { path: { id } }, body: { action } });
    const now = (action: Parameters<typeof send>[0]) => () =>
      void send(action).catch((error: unknown) => tell(`${name}: ${action} was refused`, error));
    return [
      {
        label: 'Open console',
        icon: SquareTerminal,
        disabledReason: reason('console'),
        onSelect: () => openConsole(id),
      },
      { label: 'Start', icon: CirclePlay, disabledReason: reason('start'), onSelect: now('start') },
      {
        label: 'Stop',
        icon: CircleStop,
        disabledReason: reason('stop'),
        onSelect: () =>
          confirm({
            title: `Stop ${name}?`,
            consequence: 'Its power button is pressed; a guest that does not answer is switched off. Its disk stays.',
            confirmLabel: 'Stop instance',
            harmless: true,
            onConfirm: () => send('stop'),
          }),
      },
      {
        label: 'Reboot',
        icon: RotateCw,
        disabledReason: reason('reboot'),
        onSelect: () =>
          confirm({
            title: `Reboot ${name}?`,
            consequence: 'What runs in it stops and begins again. A guest that does not answer is reset.',
            confirmLabel: 'Reboot instance',
            harmless: true,
            onConfirm: () => send('reboot'),
          }),
      },
      { label: 'Pause', icon: Pause, disabledReason: reason('pause'), onSelect: now('pause') },
      { label: 'Unpause', icon: Play, disabledReason: reason('unpause'), onSelect: now('unpause') },
      {
        label: 'Delete',
        icon: Trash2,
        danger: true,
        disabledReason: reason('delete'),
        onSelect: () =>
          confirm({
            title: `Delete ${name}?`,
            consequence:
              'Its boot disk is destroyed and can’t be brought back. Attached volumes and floating IPs stay with the project.',
            confirmLabel: 'Delete instance',
            typeToConfirm: name,
            onConfirm: async () => {
              await remove.mutateAsync({ params: { path: { id } } });
              onDeleted?.();
            },
          }),
      },
    ];
  };
}

/** Opens an instance's console in a tab of its own. */
export function useOpenConsole(): (id: string) => void {
  const { client } = useProject();
  return (id) => {
    // Opened within the click, or the browser takes it for a popup; it gets its address when the ticket is there.
    const tab = window.open('', '_blank');
    void client.GET('/api/v1/compute/instances/{id}/console', { params: { path: { id } } }).then(
      ({ data }) => {
        if (!data) return tab?.close();
        if (!tab) return window.location.assign(data.url);
        tab.opener = null;
        tab.location.replace(data.url);
      },
      (error: unknown) => {
        tab?.close();
        tell('The console did not open', error);
      },
    );
  };
}

function tell(title: string, error: unknown): void {
  void notify('error', title, error instanceof ApiError ? { description: error.message } : undefined);
}
