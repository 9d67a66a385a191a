'use client';

import { CirclePlay, CircleStop, Pause, Play, RefreshCcwDot, RotateCw, SquareTerminal, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Action } from '@/components/kit/table/row-actions';
import { notifyFailure } from '@/components/kit/table/use-act';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import type { Row } from '@/lib/client/list';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { type InstanceAction, operationOf, whyNot } from './instance-can';

const LeavesPools = lazyComponent(() =>
  import('@/components/loadbalancing/instance-pools').then((module) => module.LeavesPools),
);
const RebuildDialog = lazyComponent(() => import('./rebuild-dialog').then((module) => module.RebuildDialog));

export type Instance = Row<'/api/v1/compute/instances'>;

interface InstanceActions {
  /** What can be done with an instance, for its row and for its page; each as the state allows. */
  actionsOf: (instance: Instance) => Action[];
  /** The dialog that an action has opened; to be put on the page. */
  dialog: ReactNode;
}

export function useInstanceActions({ onDeleted }: { onDeleted?: () => void } = {}): InstanceActions {
  const { api } = useProject();
  const refusal = useRefusal();
  const act = api.useMutation('post', '/api/v1/compute/instances/{id}/action');
  const remove = api.useMutation('delete', '/api/v1/compute/instances/{id}');
  const openConsole = useOpenConsole();
  const [rebuilding, setRebuilding] = useState<Instance>();

  const actionsOf = (instance: Instance): Action[] => {
    const { id, name } = instance;
    const reason = (action: InstanceAction) => refusal(operationOf(action)) ?? whyNot(action, instance);
    const send = (action: 'start' | 'stop' | 'reboot' | 'pause' | 'unpause') =>
      act.mutateAsync({ params: { path: { id } }, body: { action } });
    return [
      {
        label: 'Open console',
        icon: SquareTerminal,
        disabledReason: reason('console'),
        onSelect: () => openConsole(id),
      },
      { label: 'Start', icon: CirclePlay, disabledReason: reason('start'), run: () => send('start') },
      {
        label: 'Stop',
        icon: CircleStop,
        disabledReason: reason('stop'),
        confirmation: {
          title: `Stop ${name}?`,
          consequence: 'The guest is shut down, or powered off if it does not respond. The boot disk is kept.',
          confirmLabel: 'Stop instance',
          harmless: true,
          onConfirm: () => send('stop'),
        },
      },
      {
        label: 'Reboot',
        icon: RotateCw,
        disabledReason: reason('reboot'),
        confirmation: {
          title: `Reboot ${name}?`,
          consequence: 'Everything running on it restarts. A guest that does not respond is reset.',
          confirmLabel: 'Reboot instance',
          harmless: true,
          onConfirm: () => send('reboot'),
        },
      },
      { label: 'Pause', icon: Pause, disabledReason: reason('pause'), run: () => send('pause') },
      { label: 'Unpause', icon: Play, disabledReason: reason('unpause'), run: () => send('unpause') },
      {
        label: 'Rebuild',
        icon: RefreshCcwDot,
        disabledReason: reason('rebuild'),
        onSelect: () => setRebuilding(instance),
      },
      {
        label: 'Delete',
        icon: Trash2,
        danger: true,
        disabledReason: reason('delete'),
        confirmation: {
          title: `Delete ${name}?`,
          consequence: 'The boot disk is permanently deleted. Attached volumes and floating IPs stay in the project.',
          dependants: <LeavesPools instanceId={id} />,
          confirmLabel: 'Delete instance',
          typeToConfirm: name,
          onConfirm: async () => {
            await remove.mutateAsync({ params: { path: { id } } });
            onDeleted?.();
          },
        },
      },
    ];
  };
  const dialog = rebuilding && <RebuildDialog instance={rebuilding} close={() => setRebuilding(undefined)} />;
  return { actionsOf, dialog };
}

/** The parts of a console (components/console). */
export type ConsolePart = 'screen' | 'terminal';

/** Opens an instance's console in a tab of its own. */
export function useOpenConsole(): (id: string, part?: ConsolePart) => void {
  const { client } = useProject();
  return (id, part = 'screen') => {
    // Opened within the click, or the browser takes it for a popup; it gets its address when the ticket is there.
    const tab = window.open('', '_blank');
    void client.GET('/api/v1/compute/instances/{id}/console', { params: { path: { id } } }).then(
      ({ data }) => {
        if (!data) return tab?.close();
        const address = part === 'screen' ? data.url : `${data.url}&part=${part}`;
        if (!tab) return window.location.assign(address);
        tab.opener = null;
        tab.location.replace(address);
      },
      (error: unknown) => {
        tab?.close();
        notifyFailure('The console could not be opened', error);
      },
    );
  };
}
