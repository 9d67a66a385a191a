'use client';

import { useId } from 'react';
import { Card } from '@/components/kit/ui/card';
import { Switch } from '@/components/kit/ui/choice';
import { setShortcuts, useShortcuts } from '@/lib/client/shortcuts';

/** Turns shortcuts of single keys off, for whoever presses them unintentionally, such as by speech (WCAG 2.1.4). */
export function ShortcutsCard() {
  const on = useShortcuts();
  const id = useId();
  return (
    <Card title="Keyboard shortcuts">
      <div className="flex items-start gap-3 text-sm">
        <Switch id={id} checked={on} onChange={({ target }) => setShortcuts(target.checked)} />
        <div>
          <label htmlFor={id} className="font-medium">
            Single-key shortcuts
          </label>
          <p className="text-ink-muted text-xs">Applies to this browser. Press ? for a list. Ctrl-K always works.</p>
        </div>
      </div>
    </Card>
  );
}
