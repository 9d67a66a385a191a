'use client';

import { clsx } from 'clsx';
import { useId } from 'react';
import { Input } from '@/components/kit/ui/input';
import { type Shares, withShare } from './shares';

interface SplitSliderProps {
  /** Name of the total: "Traffic". */
  label: string;
  parts: readonly { name: string; label: string }[];
  /** One share per part. */
  shares: Shares;
  onChange: (shares: number[]) => void;
}

const tones = ['bg-accent', 'bg-positive', 'bg-caution', 'bg-critical', 'bg-line-strong'];
const toneOf = (position: number) => tones[position % tones.length];

/** Sliders that divide a total. The shares always add up to 100%. */
export function SplitSlider({ label, parts, shares, onChange }: SplitSliderProps) {
  const id = useId();
  const change = (position: number, wanted: number) => {
    if (Number.isFinite(wanted)) onChange(withShare(shares, position, wanted));
  };
  return (
    <fieldset>
      <legend className="font-medium text-sm">{label}</legend>
      <div aria-hidden="true" className="mt-2 flex h-2 gap-0.5 overflow-hidden rounded-full">
        {parts.map(({ name }, position) => (
          <div
            key={name}
            className={clsx('transition-[width] duration-150', toneOf(position))}
            style={{ width: `${shares[position] ?? 0}%` }}
          />
        ))}
      </div>
      <div className="mt-4 space-y-3">
        {parts.map((part, position) => (
          <div
            key={part.name}
            className="grid grid-cols-[minmax(0,1fr)_6rem] items-center gap-x-4 gap-y-1 sm:grid-cols-[10rem_minmax(0,1fr)_6rem]"
          >
            <label htmlFor={`${id}-${part.name}`} className="flex min-w-0 items-center gap-2 text-sm max-sm:col-span-2">
              <span className={clsx('size-2 shrink-0 rounded-full', toneOf(position))} aria-hidden="true" />
              <span className="truncate">{part.label}</span>
            </label>
            <input
              id={`${id}-${part.name}`}
              type="range"
              min={0}
              max={100}
              value={shares[position] ?? 0}
              aria-valuetext={`${shares[position] ?? 0}%`}
              disabled={parts.length < 2}
              onChange={({ target }) => change(position, target.valueAsNumber)}
              className="w-full accent-accent"
            />
            <div className="relative">
              <Input
                type="number"
                min={0}
                max={100}
                aria-label={`${part.label}, percent`}
                value={shares[position] ?? 0}
                disabled={parts.length < 2}
                onChange={({ target }) => change(position, target.valueAsNumber)}
                className="pr-7 text-right tabular-nums"
              />
              <span className="pointer-events-none absolute inset-y-0 right-2.5 flex items-center text-ink-subtle text-xs">
                %
              </span>
            </div>
          </div>
        ))}
      </div>
    </fieldset>
  );
}
