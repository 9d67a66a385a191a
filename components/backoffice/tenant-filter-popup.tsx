'use client';

import { keepPreviousData } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { Input } from '@/components/kit/ui/input';
import { Popover, PopoverContent, PopoverTrigger } from '@/components/kit/ui/popover';
import { useBackOffice } from '@/lib/client/backoffice';
import type { TenantFilterProps } from './tenant-filter';

/** So many are shown; typing finds the others. */
const SHOWN = 8;

/** The opened list of tenants to narrow a list to. */
export function TenantFilterPopup({ trigger, state }: TenantFilterProps & { trigger: ReactElement }) {
  const { api } = useBackOffice();
  const [open, setOpen] = useState(true);
  const [typed, setTyped] = useState('');
  const search = typed.trim() || undefined;
  const { data: tenants } = api.useQuery(
    'get',
    '/admin/api/v1/tenants',
    { params: { query: { ...(search && { search }), limit: SHOWN, sort: 'name' } } },
    { placeholderData: keepPreviousData },
  );
  const chosen = state.filter('tenant_id');
  const choose = (id: string | undefined) => {
    state.set({ tenant_id: id });
    setOpen(false);
  };
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger asChild>{trigger}</PopoverTrigger>
      <PopoverContent className="w-64 p-1" aria-label="Tenant">
        <div className="p-1">
          <Input
            type="search"
            aria-label="Search tenants"
            placeholder="Search tenants"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        <ul className="max-h-72 overflow-y-auto">
          <Choice label="All" current={chosen === undefined} onChoose={() => choose(undefined)} />
          {tenants?.map(({ id, name, slug }) => (
            <Choice key={id} label={name} note={slug} current={id === chosen} onChoose={() => choose(id)} />
          ))}
          {tenants?.length === 0 && <li className="px-2 py-3 text-center text-ink-muted text-sm">No tenant matches</li>}
        </ul>
        {tenants?.length === SHOWN && (
          <p className="px-2 pt-1 pb-1.5 text-ink-subtle text-xs">Enter a name to find others.</p>
        )}
      </PopoverContent>
    </Popover>
  );
}

interface ChoiceProps {
  label: string;
  note?: string;
  current: boolean;
  onChoose: () => void;
}

function Choice({ label, note, current, onChoose }: ChoiceProps) {
  return (
    <li>
      <button
        type="button"
        aria-pressed={current}
        onClick={onChoose}
        className="floating-item w-full text-left hover:bg-hover focus-visible:bg-hover"
      >
        <span className="min-w-0 flex-1 truncate">{label}</span>
        {note && <span className="max-w-24 truncate font-mono text-ink-subtle text-xs">{note}</span>}
        {current && <Check className="text-accent" aria-hidden="true" />}
      </button>
    </li>
  );
}
