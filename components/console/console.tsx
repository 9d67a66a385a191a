'use client';

import { useState } from 'react';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Button } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/kit/ui/tabs';
import type { ConnectionState } from './connection';

const parts = {
  screen: {
    label: 'Screen',
    Part: lazyComponent(() => import('./screen').then(({ Screen }) => Screen)),
  },
  terminal: {
    label: 'Serial terminal',
    Part: lazyComponent(() => import('./terminal').then(({ Terminal }) => Terminal)),
  },
} as const;

type PartName = keyof typeof parts;
const names: readonly PartName[] = ['screen', 'terminal'];
const isPart = (name: string): name is PartName => name in parts;

interface ConsoleProps {
  instanceId: string;
  name: string;
  /** The part that is shown at first. */
  first: PartName;
}

/** An instance's console: its screen and its serial terminal, each loaded when it is first opened, then kept open. */
export function Console({ instanceId, name, first }: ConsoleProps) {
  const [shown, setShown] = useState<PartName>(first);
  const [opened, setOpened] = useState<readonly PartName[]>([first]);
  return (
    <main className="scheme-dark flex h-dvh flex-col bg-sunken text-ink">
      <title>{`${name} console · Nephele`}</title>
      <Tabs
        value={shown}
        onValueChange={(next) => {
          if (!isPart(next)) return;
          setShown(next);
          // In the address, so that a reload shows the same part.
          const { pathname } = window.location;
          window.history.replaceState(null, '', next === 'screen' ? pathname : `${pathname}?part=${next}`);
          setOpened((before) => (before.includes(next) ? before : [...before, next]));
        }}
        className="flex min-h-0 flex-1 flex-col"
      >
        <header className="flex flex-wrap items-center gap-x-6 border-b px-3 pt-1">
          <h1 className="font-semibold text-sm">{name}</h1>
          <TabsList aria-label="Console views">
            {names.map((part) => (
              <TabsTrigger key={part} value={part}>
                {parts[part].label}
              </TabsTrigger>
            ))}
          </TabsList>
        </header>
        {names.map((part) => (
          <TabsContent
            key={part}
            value={part}
            forceMount={opened.includes(part) ? true : undefined}
            className="min-h-0 flex-1 data-[state=inactive]:hidden"
          >
            {opened.includes(part) && <Connected part={part} instanceId={instanceId} />}
          </TabsContent>
        ))}
      </Tabs>
    </main>
  );
}

/** One part with the state of its connection, and a way to connect again once that has ended. */
function Connected({ part, instanceId }: { part: PartName; instanceId: string }) {
  const [state, setState] = useState<ConnectionState>({ is: 'connecting' });
  const [attempt, setAttempt] = useState(0);
  const { Part } = parts[part];
  return (
    <div className="flex h-full flex-col pt-2">
      <div className="flex min-h-8 flex-wrap items-center gap-3 px-3 pb-2 text-sm" aria-live="polite">
        <StatusBadge status={badges[state.is]} />
        {state.is === 'closed' && (
          <>
            <span className="text-ink-muted">{state.why}</span>
            <Button size="sm" onClick={() => setAttempt(attempt + 1)}>
              Reconnect
            </Button>
          </>
        )}
      </div>
      <div className="min-h-0 flex-1">
        <Part key={attempt} instanceId={instanceId} onState={setState} />
      </div>
    </div>
  );
}

const badges = { connecting: 'connecting', open: 'connected', closed: 'disconnected' } as const;
