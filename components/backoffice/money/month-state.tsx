import { CircleCheck, Clock, Hourglass, LoaderCircle } from 'lucide-react';
import { Badge } from '@/components/kit/ui/badge';
import type { MonthClosing } from './months';

const looks = {
  running: { label: 'In progress', tone: 'neutral', icon: Clock },
  ended: { label: 'Ended', tone: 'caution', icon: Hourglass },
  due: { label: 'Closing', tone: 'moving', icon: LoaderCircle },
  closed: { label: 'Closed', tone: 'positive', icon: CircleCheck },
} as const;

/** How far the closing of a month is. */
export function MonthState({ state }: Pick<MonthClosing, 'state'>) {
  const { label, tone, icon: Icon } = looks[state];
  return (
    <Badge tone={tone}>
      <Icon aria-hidden="true" className={state === 'due' ? 'animate-spin [animation-duration:2s]' : undefined} />
      {label}
    </Badge>
  );
}
