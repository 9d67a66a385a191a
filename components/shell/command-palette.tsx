'use client';

import { Command } from 'cmdk';
import { ArrowRight, BookText, History, Search } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { useMemo } from 'react';
import { useOfficeVerbs } from '@/components/backoffice/verbs';
import { useRealm } from '@/components/kit/page/place';
import { Dialog } from '@/components/kit/ui/dialog';
import { FreezeScope } from '@/lib/client/freeze';
import { useNavigationMemory } from '@/lib/client/navigation-memory';
import { useProjectIfAny } from '@/lib/client/project';
import { referencePages } from '@/lib/client/reference-pages';
import { useHasApi } from '@/lib/client/scope';
import { paths } from '@/lib/paths';
import { type CommandSource, commandsOf, type PaletteCommand } from './commands';
import { type Found, useFound, useFoundLines } from './found';
import { useOpenPage } from './open-page';
import { bestMatch, groupsFor, readAsked } from './palette-lines';
import type { Palette } from './use-palette';
import { useVerbs } from './verbs';

interface CommandPaletteProps {
  commands: CommandSource;
  palette: Palette;
}

/** Finds resources, what can be done with them, pages and actions. Loaded when it is first opened. */
export function CommandPalette(props: CommandPaletteProps) {
  const realm = useRealm();
  // The reference can be read without an account: it has pages alone.
  if (!useHasApi()) return <PaletteDialog {...props} found={nothing} verbs={none} />;
  if (realm === 'backoffice') return <OfficePalette {...props} />;
  return (
    <FreezeScope>
      <ProjectPalette {...props} />
    </FreezeScope>
  );
}

function OfficePalette(props: CommandPaletteProps) {
  const { name, verb } = readAsked(props.palette.text);
  const found = useFound(name);
  return <WithVerbs {...props} found={found} verbs={useOfficeVerbs(bestMatch(found.results, name), verb)} />;
}

function ProjectPalette(props: CommandPaletteProps) {
  const { name, verb } = readAsked(props.palette.text);
  const found = useFound(name);
  return <WithVerbs {...props} found={found} verbs={useVerbs(bestMatch(found.results, name), verb)} />;
}

interface WithVerbsProps extends CommandPaletteProps {
  found: Found;
  verbs: ReturnType<typeof useVerbs>;
}

function WithVerbs({ verbs: { lines, dialog }, ...props }: WithVerbsProps) {
  return (
    <>
      <PaletteDialog {...props} verbs={lines} />
      {dialog}
    </>
  );
}

const none: readonly PaletteCommand[] = [];
const nothing: Found = { results: [], pending: false, failed: false };

const documentation: readonly PaletteCommand[] = [
  {
    group: 'Documentation',
    label: 'API reference',
    icon: BookText,
    href: paths.apiReference(),
    keywords: ['docs', 'documentation', 'help'],
  },
  ...referencePages.map(({ slug, name }) => ({
    group: 'Documentation',
    label: `API reference: ${name}`,
    icon: BookText,
    href: paths.apiReference(slug),
  })),
];

interface PaletteDialogProps extends CommandPaletteProps {
  found: Found;
  /** What can be done with the resource that the text names. */
  verbs: readonly PaletteCommand[];
}

function PaletteDialog({ commands, palette, found, verbs }: PaletteDialogProps) {
  const openPage = useOpenPage();
  const { text, setText, setOpen } = palette;
  const recent = useRecent();
  const resources = useFoundLines(found.results);
  const ofShell = useMemo(() => commandsOf(commands), [commands]);
  const fixed = [...recent, ...ofShell, ...(text.trim() === '' ? documentation.slice(0, 1) : documentation)];
  const groups = groupsFor(text, fixed, [...resources, ...verbs]);
  return (
    <Dialog
      open={palette.state === 'open'}
      onOpenChange={setOpen}
      title="Search resources, pages and actions"
      titleHidden
    >
      <Command
        label="Search resources, pages and actions"
        loop
        shouldFilter={false}
        className="flex max-h-[min(26rem,80dvh)] flex-col"
      >
        <div className="flex items-center gap-2.5 border-b px-4">
          <Search className="size-4 shrink-0 text-ink-subtle" aria-hidden="true" />
          <Command.Input
            ref={focusAtEnd}
            value={text}
            onValueChange={setText}
            placeholder="Name, ID, address, page or action"
            className="h-12 w-full bg-transparent text-base outline-none placeholder:text-ink-subtle pointer-coarse:text-lg"
          />
        </div>
        <Command.List className="min-h-0 flex-1 overflow-y-auto p-1.5" aria-busy={found.pending}>
          <Command.Empty className="px-4 py-8 text-center text-ink-muted text-sm">
            {found.pending ? 'Searching…' : found.failed ? 'The search failed. Try again.' : 'No results.'}
          </Command.Empty>
          {groups.map(({ heading, lines }) => (
            <Command.Group
              key={heading}
              heading={heading}
              className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-ink-subtle [&_[cmdk-group-heading]]:text-xs"
            >
              {lines.map(({ label, id = label, detail, disabledReason, icon: Icon = ArrowRight, run, href }) => (
                <Command.Item
                  key={id}
                  value={`${heading}\n${id}`}
                  disabled={disabledReason !== undefined}
                  className="floating-item"
                  onSelect={() => {
                    setOpen(false);
                    if (href) openPage(href);
                    run?.();
                  }}
                >
                  <Icon className="text-ink-subtle" aria-hidden="true" />
                  <span className="min-w-0 flex-1 truncate">{label}</span>
                  {(disabledReason ?? detail) && (
                    <span className="max-w-1/2 shrink-0 text-balance text-right text-ink-muted text-xs">
                      {disabledReason ?? detail}
                    </span>
                  )}
                </Command.Item>
              ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </Dialog>
  );
}

/** Runs before effects, so that the next keystroke goes to the field, after the text typed while it loaded. */
function focusAtEnd(field: HTMLInputElement | null): void {
  if (!field || document.activeElement === field) return;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

/** Fewer than a screenful: the rest is found by typing. */
const MOST_RECENT = 5;

/** Resources of this project that were opened last. */
function useRecent(): PaletteCommand[] {
  const project = useProjectIfAny()?.slug ?? '';
  const pathname = usePathname();
  return useNavigationMemory()
    .visits.filter((visit) => visit.project === project && visit.href !== pathname)
    .slice(0, MOST_RECENT)
    .map(({ href, label }) => ({ group: 'Recent', label, id: href, href, icon: History }));
}
