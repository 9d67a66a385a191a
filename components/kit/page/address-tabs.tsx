'use client';

import { useSearchParams } from 'next/navigation';
import type { ReactNode } from 'react';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/kit/ui/tabs';

/** A part of a page. */
export interface PageTab {
  name: string;
  label: string;
  /** Its name in older links. */
  former?: string;
  content: () => ReactNode;
}

interface AddressTabsProps {
  /** What the tabs are parts of, for assistive technology. */
  label: string;
  /** The first one is shown where the address names none. */
  tabs: readonly PageTab[];
}

/** Parts of one page, each with an address (`?tab=logs`) that can be sent to others. Only the one that is shown is rendered. */
export function AddressTabs({ label, tabs }: AddressTabsProps) {
  const wanted = useSearchParams().get('tab');
  const shown = tabs.find(({ name, former }) => wanted !== null && (name === wanted || former === wanted)) ?? tabs[0];
  return (
    <Tabs value={shown?.name} onValueChange={(name) => show(name === tabs[0]?.name ? undefined : name)}>
      <TabsList aria-label={label}>
        {tabs.map(({ name, label: text }) => (
          <TabsTrigger key={name} value={name} ref={name === shown?.name ? reveal : undefined}>
            {text}
          </TabsTrigger>
        ))}
      </TabsList>
      {tabs.map(({ name, content }) => (
        <TabsContent key={name} value={name}>
          {name === shown?.name && content()}
        </TabsContent>
      ))}
    </Tabs>
  );
}

/** Scrolls the tabs of a narrow screen to the one that is shown, without moving the page. */
function reveal(tab: HTMLElement | null): void {
  const list = tab?.parentElement;
  if (!tab || !list) return;
  const [at, room] = [tab.getBoundingClientRect(), list.getBoundingClientRect()];
  if (at.right > room.right || at.left < room.left) list.scrollLeft += at.left - room.left;
}

/** The History API and not the router: nothing is to be fetched from the server for a change of the address alone. */
function show(tab: string | undefined): void {
  const { pathname } = window.location;
  window.history.replaceState(null, '', tab === undefined ? pathname : `${pathname}?${new URLSearchParams({ tab })}`);
}
