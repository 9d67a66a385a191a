'use client';

import { clsx } from 'clsx';
import { useId } from 'react';
import { Badge, type Tone } from '@/components/kit/ui/badge';
import { Radio } from '@/components/kit/ui/choice';
import { formatDuration } from '@/lib/format/time';
import type { Candidate } from './types';

const tiers: Record<Candidate['tier'], { label: string; tone: Tone }> = {
  patch: { label: 'Patch', tone: 'neutral' },
  minor: { label: 'Minor', tone: 'neutral' },
  major: { label: 'Major', tone: 'moving' },
};

interface CandidateCardsProps {
  engine: string;
  candidates: readonly Candidate[];
  value: string;
  onChange: (version: string) => void;
}

/** The versions that a cluster can be upgraded to, each with its pause and its way back. */
export function CandidateCards({ engine, candidates, value, onChange }: CandidateCardsProps) {
  const id = useId();
  return (
    <fieldset>
      <legend className="sr-only">Target version</legend>
      <div className="grid gap-3">
        {candidates.map(({ version, tier, method, expected_pause_ms, rollback, notes }) => (
          <label
            key={version}
            htmlFor={`${id}-${version}`}
            className={clsx(
              'flex cursor-pointer gap-3 rounded-lg border bg-surface p-4 shadow-control hover:border-line-strong',
              'has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-focus',
            )}
          >
            <Radio
              id={`${id}-${version}`}
              name={id}
              value={version}
              checked={value === version}
              onChange={() => onChange(version)}
              className="mt-0.5 outline-none [&_input]:outline-none"
            />
            <span className="min-w-0 flex-1 text-sm">
              <span className="flex flex-wrap items-center gap-2 font-medium">
                {engine} {version} <Badge tone={tiers[tier].tone}>{tiers[tier].label}</Badge>
              </span>
              <span className="mt-1 block text-pretty text-ink-muted">{method}.</span>
              <span className="mt-2 grid gap-x-6 gap-y-1 sm:grid-cols-2">
                <Fact term="Expected pause">up to {formatDuration(expected_pause_ms)}</Fact>
                <Fact term="Roll back">{rollbackWords(rollback)}</Fact>
              </span>
              {notes.map((note) => (
                <span key={note} className="mt-2 block text-pretty text-ink-muted text-xs">
                  {note}
                </span>
              ))}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Fact({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <span className="block">
      <span className="block text-ink-muted text-xs">{term}</span>
      {children}
    </span>
  );
}

/** Until when there is a way back, and what it loses. */
export function rollbackWords({ possible, until, loses }: Candidate['rollback']): string {
  if (!possible) return `Until the upgrade is complete. After it, a restore of the backup. ${lossOf(loses)}`;
  return `${until ?? 'During and after the upgrade'}. ${lossOf(loses)}`;
}

/** What a rollback loses, as a sentence. */
export const lossOf = (loses: string | null): string =>
  loses === null ? 'Loses nothing.' : `Loses: ${loses.replace(/\.$/, '')}.`;
