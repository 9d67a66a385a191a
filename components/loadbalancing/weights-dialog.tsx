'use client';

import { useState } from 'react';
import { type Control, useController, useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { FormShell, useSchemaForm } from '@/components/kit/form/form-shell';
import { FieldError } from '@/components/kit/form/frame';
import { Dialog } from '@/components/kit/ui/dialog';
import { Input } from '@/components/kit/ui/input';
import { isMember, withMembers } from './desired-state';
import type { Listener, LoadBalancer, Member, Pool } from './types';
import { useReplace } from './use-replace';
import { MOST_WEIGHT, numberFrom, sharesOf } from './weights';

const schema = z.object({ weights: z.array(numberFrom(0, MOST_WEIGHT)) });
type Values = z.output<typeof schema>;

interface WeightsDialogProps {
  balancer: LoadBalancer;
  listener: Listener;
  pool: Pool;
  close: () => void;
}

/** Changes the weights of a pool's members, each with the share of the traffic that follows from it. */
export function WeightsDialog({ balancer, listener: { port }, pool, close }: WeightsDialogProps) {
  const replace = useReplace(balancer.id);
  const [error, setError] = useState<unknown>();
  // The members as they were when the dialog opened: a health check must not move the sliders.
  const [members] = useState(pool.members);
  const form = useSchemaForm<Values, Values>(schema, { weights: members.map(({ weight }) => String(weight)) });
  const typed = useWatch({ control: form.control, name: 'weights' });
  const shares = sharesOf(members.map((member, position) => ({ ...member, weight: Number(typed[position]) || 0 })));
  const save = async ({ weights }: Values) => {
    setError(undefined);
    await replace((state) =>
      withMembers(state, port, (wanted) =>
        wanted.map((each) => {
          const position = members.findIndex((member) => isMember(member)(each));
          return position < 0 ? each : { ...each, weight: Number(weights[position]) };
        }),
      ),
    ).catch((reason: unknown) => {
      setError(reason);
      throw reason;
    });
    close();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      title={`Weights of pool ${pool.name}`}
      description="New connections are distributed in proportion to the weights. 0 drains a member."
    >
      <FormShell
        form={form}
        loading={false}
        error={error}
        failure="The weights could not be changed"
        submitLabel="Apply weights"
        operation="replaceLoadBalancer"
        cancel={close}
        onSubmit={save}
      >
        {members.map((member, position) => (
          <WeightField
            key={member.id}
            control={form.control}
            position={position}
            member={member}
            share={shares[position] ?? ''}
          />
        ))}
      </FormShell>
    </Dialog>
  );
}

interface WeightFieldProps {
  control: Control<Values>;
  position: number;
  member: Member;
  share: string;
}

/** The range of the slider, unless a weight exceeds it; the field takes all that the API does. */
const SLIDER_MAXIMUM = 20;

function WeightField({ control, position, member: { id, name, weight }, share }: WeightFieldProps) {
  const { field, fieldState } = useController({ control, name: `weights.${position}` });
  const changed = Number(field.value) !== weight;
  return (
    <div>
      <div className="flex items-baseline justify-between gap-3 text-sm">
        <label htmlFor={id} className="min-w-0 truncate font-medium">
          {name}
        </label>
        <span className="shrink-0 text-ink-muted text-xs tabular-nums">
          {changed && `${weight} → ${field.value}, `}
          {share}
        </span>
      </div>
      <div className="mt-1.5 grid grid-cols-[minmax(0,1fr)_5rem] items-center gap-x-4">
        <input
          type="range"
          aria-label={`Weight of ${name}, slider`}
          min={0}
          max={Math.max(SLIDER_MAXIMUM, weight)}
          value={Number(field.value) || 0}
          aria-valuetext={`${field.value}, ${share}`}
          onChange={({ target }) => field.onChange(target.value)}
          className="w-full accent-accent"
        />
        <Input
          {...field}
          id={id}
          inputMode="numeric"
          aria-invalid={fieldState.error !== undefined}
          aria-describedby={`${id}-error`}
          className="text-right tabular-nums"
        />
      </div>
      <FieldError id={id} error={fieldState.error?.message} />
    </div>
  );
}
