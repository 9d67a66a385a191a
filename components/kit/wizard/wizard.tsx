'use client';

import { clsx } from 'clsx';
import { Check } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { type ReactNode, useEffect, useRef } from 'react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { setAddress } from '@/components/kit/page/address';
import { Button } from '@/components/kit/ui/button';
import { openSteps, stepOf, type WizardStep } from './wizard-steps';

interface WizardProps<Name extends string> {
  /** Name of the whole: "Import steps". */
  label: string;
  steps: readonly WizardStep<Name>[];
  /** The last step's button: "Run import". */
  finishLabel: string;
  onFinish: () => void;
  pending?: boolean;
  children: (step: Name) => ReactNode;
}

/** A task in steps, such as choose, check, review, run. The address keeps the step: back and forward walk through them. */
export function Wizard<Name extends string>(props: WizardProps<Name>) {
  const { label, steps, finishLabel, onFinish, pending = false, children } = props;
  const position = stepOf(steps, useSearchParams().get('step'));
  const step = steps[position];
  const heading = useHeadingFocus(position);
  if (!step) return null;
  const go = (to: number) => setAddress({ step: steps[to]?.name }, 'push');
  const last = position === steps.length - 1;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-10 gap-y-5 lg:grid-cols-[12rem_minmax(0,1fr)]">
      <StepList label={label} steps={steps} position={position} onGo={go} />
      <div className="min-w-0 space-y-5">
        <h2 ref={heading} tabIndex={-1} className="font-semibold text-lg tracking-[-0.01em]">
          {step.label}
        </h2>
        {children(step.name)}
        <div className="flex flex-wrap items-center gap-2">
          <DisabledReason reason={step.missing}>
            <Button variant="primary" pending={pending} onClick={last ? onFinish : () => go(position + 1)}>
              {last ? finishLabel : 'Continue'}
            </Button>
          </DisabledReason>
          {position > 0 && (
            <Button variant="quiet" onClick={() => go(position - 1)}>
              Back
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}

interface StepListProps {
  label: string;
  steps: readonly WizardStep[];
  position: number;
  onGo: (position: number) => void;
}

function StepList({ label, steps, position, onGo }: StepListProps) {
  const open = openSteps(steps);
  const list = useRef<HTMLOListElement>(null);
  // On a phone, the last steps are beyond the edge.
  useEffect(() => {
    list.current?.children[position]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [position]);
  return (
    <nav aria-label={label}>
      <ol ref={list} className="flex gap-1 overflow-x-auto lg:flex-col">
        {steps.map((step, index) => (
          <li key={step.name} className="shrink-0">
            <button
              type="button"
              aria-current={index === position ? 'step' : undefined}
              disabled={index > open}
              onClick={() => onGo(index)}
              className={clsx(
                'flex w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-left text-sm transition-colors',
                index === position ? 'bg-accent-soft font-medium' : 'text-ink-muted enabled:hover:bg-hover',
                'disabled:cursor-not-allowed',
              )}
            >
              <span
                className={clsx(
                  'grid size-5 shrink-0 place-items-center rounded-full border text-2xs tabular-nums',
                  index < position ? 'border-accent bg-accent text-accent-ink' : 'border-line-strong',
                )}
              >
                {index < position ? <Check className="size-3" aria-hidden="true" /> : index + 1}
              </span>
              {step.label}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** After a step the focus is on the next one's heading. */
function useHeadingFocus(position: number) {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(position);
  useEffect(() => {
    if (before.current !== position) heading.current?.focus();
    before.current = position;
  }, [position]);
  return heading;
}
