import { FileSearch } from 'lucide-react';
import type { Action } from '@/components/kit/table/row-actions';
import type { TableState } from '@/components/kit/table/table-state';
import type { Row } from '@/lib/client/list';

type Entry = Row<'/api/v1/audit'>;

/** Actions of a row of the audit log: open its details, or filter the log by one of its values. */
export function entryActions<Shown extends Entry>(entry: Shown, state: TableState, show: (entry: Shown) => void) {
  return {
    details: { label: 'Details', icon: FileSearch, onSelect: () => show(entry) },
    sameAction: { label: 'Only this action', onSelect: () => state.set({ action: entry.action }) },
    sameActor: {
      label: `Only ${entry.actor_name}`,
      onSelect: () => state.set({ actor: entry.actor_id ?? entry.actor_name }),
    },
    sameResource: {
      label: 'Only this resource',
      disabledReason: entry.resource_id ? undefined : 'No resource.',
      onSelect: () => state.set({ resource_id: entry.resource_id ?? undefined }),
    },
    sameRequest: {
      label: 'Only this request',
      disabledReason: entry.request_id ? undefined : 'The entry belongs to no request.',
      onSelect: () => state.set({ request_id: entry.request_id ?? undefined }),
    },
  } satisfies Record<string, Action>;
}
