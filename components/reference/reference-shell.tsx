'use client';

import { BookOpen } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { NavigationGroup } from '@/components/kit/page/navigation';
import { ButtonLink } from '@/components/kit/ui/button';
import type { PaletteCommand } from '@/components/shell/commands';
import { Shell } from '@/components/shell/shell';
import { paths } from '@/lib/paths';
import { CredentialProvider } from './credential';
import { sections, shortName } from './sections';

/** What the frame must know of a group. */
export interface ReferenceIndex {
  slug: string;
  name: string;
  operations: readonly { id: string; method: string; path: string; summary: string }[];
}

const introduction: NavigationGroup = {
  entries: [{ label: 'Introduction', icon: BookOpen, href: () => paths.apiReference() }],
};

/** The frame of the API reference: the portal's own, with groups of endpoints in it, each endpoint in the palette. */
export function ReferenceShell({ index, children }: { index: readonly ReferenceIndex[]; children: ReactNode }) {
  const groups = useMemo(() => [introduction, ...navigationOf(index)], [index]);
  const commands = useMemo(() => ({ pages: index.flatMap(commandsOf) }), [index]);
  return (
    <CredentialProvider>
      <Shell
        realm="portal"
        groups={groups}
        project=""
        home={paths.apiReference()}
        commands={commands}
        userMenu={<ButtonLink href={paths.home()}>Portal</ButtonLink>}
      >
        {children}
      </Shell>
    </CredentialProvider>
  );
}

function navigationOf(index: readonly ReferenceIndex[]): NavigationGroup[] {
  return sections.map(({ label, groups }) => ({
    label,
    entries: Object.entries(groups).flatMap(([name, icon]) =>
      index
        .filter((group) => group.name === name)
        .map(({ slug }) => ({ label: shortName(name), icon, href: () => paths.apiReference(slug) })),
    ),
  }));
}

function commandsOf({ slug, name, operations }: ReferenceIndex): PaletteCommand[] {
  return operations.map(({ id, method, path, summary }) => ({
    group: name,
    label: summary,
    keywords: [path, `${method} ${path}`, path.replace(/^.*\/v1\//, ''), id],
    href: paths.apiReference(slug, id),
  }));
}
