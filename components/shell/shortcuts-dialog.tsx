'use client';

import type { ReactNode } from 'react';
import { Dialog } from '@/components/kit/ui/dialog';
import { CommandKey, Key } from '@/components/kit/ui/keyboard';
import type { PageShortcut } from './shortcut-keys';

/** All keyboard shortcuts. */
export function ShortcutsDialog({ pages, close }: { pages: readonly PageShortcut[]; close: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={close}
      title="Keyboard shortcuts"
      description="Single keys can be turned off on the page of your account."
    >
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        <Keys
          label="Everywhere"
          keys={[
            ['Search', <CommandKey key="command" />, <Key key="k">K</Key>],
            ['Search a list', <Key key="/">/</Key>],
            ['Create, on a list', <Key key="c">c</Key>],
            ['Keyboard shortcuts', <Key key="?">?</Key>],
          ]}
        />
        <Keys
          label="Go to"
          keys={pages.map(({ letter, label }) => [label, <Key key="g">g</Key>, <Key key="letter">{letter}</Key>])}
        />
      </div>
    </Dialog>
  );
}

function Keys({ label, keys }: { label: string; keys: readonly (readonly [string, ...ReactNode[]])[] }) {
  return (
    <section>
      <h3 className="mb-1.5 font-medium text-ink-muted text-xs">{label}</h3>
      <dl className="space-y-1.5 text-sm">
        {keys.map(([name, ...pressed]) => (
          <div key={name} className="flex items-center justify-between gap-4">
            <dt>{name}</dt>
            <dd className="flex gap-1">{pressed}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
