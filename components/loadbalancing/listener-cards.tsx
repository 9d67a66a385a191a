'use client';

import type { ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import { Card } from '@/components/kit/ui/card';
import type { LoadBalancerForm } from './load-balancer-form';
import type { ListenerValues } from './load-balancer-values';

interface ListenerCardsProps {
  form: LoadBalancerForm;
  actions?: (position: number, listener: ListenerValues) => ReactNode;
  children: (position: number, listener: ListenerValues) => ReactNode;
}

/** A card for each listener of the form, with the part of it that a step is about. */
export function ListenerCards({ form, actions, children }: ListenerCardsProps) {
  // A copy, as in the wizard.
  const listeners = useWatch({
    control: form.control,
    name: 'listeners',
    compute: (all: ListenerValues[]) => structuredClone(all),
  });
  return listeners.map((listener, position) => (
    <Card
      // biome-ignore lint/suspicious/noArrayIndexKey: the position is the name of its fields
      key={position}
      title={titleOf(listener)}
      aria-label={`Listener ${listener.name}`}
      actions={actions?.(position, listener)}
    >
      <div className="space-y-5">{children(position, listener)}</div>
    </Card>
  ));
}

/** "web · HTTP 80" */
export const titleOf = ({
  name,
  protocol,
  port,
}: Pick<ListenerValues, 'name' | 'protocol'> & { port: string | number }) =>
  `${name || 'Listener'} · ${protocol} ${port}`;
