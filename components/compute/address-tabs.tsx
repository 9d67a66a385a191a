'use client';

import { useSearchParams } from 'next/navigation';
import type { ReactNode } from 'react';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/kit/ui/tabs';

interface AddressTabsProps<Name extends string> {
  /** What the tabs are parts of, for assistive technology. */
  label: string;
  /** The first one is shown where the address names none. */
  tabs: readonly { name: Name; label: string; content: () => ReactNode }[];
  /** The address of a tab. */
  href: (name: Name) => string;
}

/** Parts of one page, each with an address that can be sent to others; only the one that is shown is there at all. */
export function AddressTabs<Name extends string>({ label, tabs, href }: AddressTabsProps<Name>) {
  const wanted = useSearchParams().get('tab');
  const shown = tabs.find(({ name }) => name === wanted) ?? tabs[0];
  return (
    <Tabs
      value={shown?.name}
      onValueChange={(next) => {
        const tab = tabs.find(({ name }) => name === next);
        // The History API and not the router: nothing is to be fetched from the server for a change of the address alone.
        if (tab) window.history.replaceState(null, '', href(tab.name));
      }}
    >
      <TabsList aria-label={label}>
        {tabs.map(({ name, label: text }) => (
          <TabsTrigger key={name} value={name}>
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
