import type { Action } from '@/components/kit/table/row-actions';
import { useAct } from '@/components/kit/table/use-act';
import type { PaletteCommand } from './commands';

/** Actions of a resource as lines ("web-1: Reboot") that answer a verb, all of them without one. */
export function useVerbLines(name: string, verb: string, actions: readonly Action[] = []): readonly PaletteCommand[] {
  const act = useAct();
  return actions
    .filter(({ label }) => label.toLowerCase().startsWith(verb))
    .map((action) => ({
      group: 'Actions on resources',
      label: `${name}: ${action.label}`,
      disabledReason: action.disabledReason,
      ...(action.icon && { icon: action.icon }),
      ...(action.href === undefined ? { run: () => act(action, name) } : { href: action.href }),
    }));
}
