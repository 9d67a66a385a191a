'use client';

import { Tabs as Primitive } from 'radix-ui';
import type { ComponentProps } from 'react';

export const Tabs = Primitive.Root;

export function TabsList(props: ComponentProps<typeof Primitive.List>) {
  return <Primitive.List className="-mb-px flex gap-5 overflow-x-auto border-b" {...props} />;
}

export function TabsTrigger(props: ComponentProps<typeof Primitive.Trigger>) {
  return (
    <Primitive.Trigger
      className="-mb-px whitespace-nowrap border-transparent border-b-2 px-0.5 py-2 font-medium text-ink-muted text-sm hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
      {...props}
    />
  );
}

export function TabsContent(props: ComponentProps<typeof Primitive.Content>) {
  return <Primitive.Content className="pt-5" {...props} />;
}
