'use client';

import { Plus, Trash2 } from 'lucide-react';
import { type ClipboardEvent, useEffect, useId, useRef } from 'react';
import { Button } from '@/components/kit/ui/button';
import { Input } from '@/components/kit/ui/input';
import { type Pair, pairProblems, parsePairs } from './pairs';

interface KeyValueEditorProps {
  /** Name of the list: "Environment variables". */
  label: string;
  /** Singular of an entry: "variable". */
  one: string;
  pairs: readonly Pair[];
  onChange: (pairs: Pair[]) => void;
}

/** An editor for keys with values. Pasted lines of `KEY=value` become rows. */
export function KeyValueEditor({ label, one, pairs, onChange }: KeyValueEditorProps) {
  const id = useId();
  const rows = useRef<HTMLDivElement>(null);
  const count = useRef(pairs.length);
  const problems = pairProblems(pairs);

  // Focuses a new row.
  useEffect(() => {
    if (pairs.length > count.current) rows.current?.querySelector<HTMLInputElement>('[data-last] input')?.focus();
    count.current = pairs.length;
  }, [pairs.length]);

  const change = (position: number, changed: Partial<Pair>) =>
    onChange(pairs.map((pair, index) => (index === position ? { ...pair, ...changed } : pair)));
  const paste = (event: ClipboardEvent, position: number) => {
    const pasted = parsePairs(event.clipboardData.getData('text'));
    if (!pasted) return;
    event.preventDefault();
    onChange([...pairs.slice(0, position), ...pasted, ...pairs.slice(position + 1)]);
  };
  return (
    <fieldset>
      <legend className="font-medium text-sm">{label}</legend>
      <div ref={rows} className="mt-2 space-y-2">
        {pairs.map((pair, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no name but its place
          <div key={position} data-last={position === pairs.length - 1 || undefined}>
            <div className="flex items-start gap-2 max-sm:flex-wrap">
              <Input
                aria-label={`Key ${position + 1}`}
                placeholder="Key"
                value={pair.key}
                spellCheck={false}
                aria-invalid={problems[position] ? true : undefined}
                aria-describedby={problems[position] ? `${id}-${position}` : undefined}
                onPaste={(event) => paste(event, position)}
                onChange={({ target }) => change(position, { key: target.value })}
                className="font-mono sm:max-w-64"
              />
              <Input
                aria-label={`Value ${position + 1}`}
                placeholder="Value"
                value={pair.value}
                spellCheck={false}
                onChange={({ target }) => change(position, { value: target.value })}
                className="min-w-0 flex-1 font-mono"
              />
              <Button
                variant="quiet"
                size="icon"
                aria-label={`Remove ${pair.key.trim() || `${one} ${position + 1}`}`}
                onClick={() => onChange(pairs.filter((_, index) => index !== position))}
              >
                <Trash2 />
              </Button>
            </div>
            {problems[position] && (
              <p id={`${id}-${position}`} className="mt-1 text-critical-ink text-xs">
                {problems[position]}
              </p>
            )}
          </div>
        ))}
        {pairs.length === 0 && <p className="text-ink-muted text-sm">None yet</p>}
      </div>
      <Button size="sm" className="mt-2" onClick={() => onChange([...pairs, { key: '', value: '' }])}>
        <Plus /> Add {one}
      </Button>
    </fieldset>
  );
}
