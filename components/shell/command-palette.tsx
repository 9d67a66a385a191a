'use client';

import { Command } from 'cmdk';
import { ArrowRight, Search } from 'lucide-react';
import { Dialog } from '@/components/kit/ui/dialog';
import type { PaletteCommand } from './commands';
import { useOpenPage } from './open-page';

interface CommandPaletteProps {
  commands: readonly PaletteCommand[];
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Everything the shell can do, by typing. Loaded when it is first opened. */
export function CommandPalette({ commands, open, onOpenChange }: CommandPaletteProps) {
  const openPage = useOpenPage();
  const groups = [...new Set(commands.map(({ group }) => group))];
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Search pages and actions" titleHidden>
      <Command label="Search pages and actions" loop filter={rank} className="flex max-h-[min(26rem,80dvh)] flex-col">
        <div className="flex items-center gap-2.5 border-b px-4">
          <Search className="size-4 shrink-0 text-ink-subtle" aria-hidden="true" />
          <Command.Input
            placeholder="Search pages and actions"
            className="h-12 w-full bg-transparent text-base outline-none placeholder:text-ink-subtle pointer-coarse:text-lg"
          />
        </div>
        <Command.List className="min-h-0 flex-1 overflow-y-auto p-1.5">
          <Command.Empty className="px-4 py-8 text-center text-ink-muted text-sm">No results.</Command.Empty>
          {groups.map((group) => (
            <Command.Group
              key={group}
              heading={group}
              className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-ink-subtle [&_[cmdk-group-heading]]:text-xs"
            >
              {commands
                .filter((command) => command.group === group)
                .map(({ label, icon: Icon = ArrowRight, keywords = [], run, href }) => (
                  <Command.Item
                    key={label}
                    value={`${label}\n${group}`}
                    keywords={[...keywords]}
                    className="floating-item"
                    onSelect={() => {
                      onOpenChange(false);
                      if (href) openPage(href);
                      run?.();
                    }}
                  >
                    <Icon className="text-ink-subtle" aria-hidden="true" />
                    {label}
                  </Command.Item>
                ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </Dialog>
  );
}

/** How well a line answers what was typed: its beginning, the beginning of a word, anywhere, another name for it. */
function rank(value: string, typed: string, keywords: string[] = []): number {
  const [label = ''] = value.toLowerCase().split('\n');
  const words = typed.trim().toLowerCase();
  if (label.startsWith(words)) return 1;
  if (label.includes(` ${words}`)) return 0.8;
  if (label.includes(words)) return 0.5;
  return keywords.some((keyword) => keyword.toLowerCase().startsWith(words)) ? 0.3 : 0;
}
