'use client';

import { ChevronDown, Search, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '@/components/kit/ui/button';
import { deferred } from '@/components/kit/ui/deferred';
import { Input } from '@/components/kit/ui/input';
import { Key } from '@/components/kit/ui/keyboard';
import { isShortcut } from '@/lib/client/shortcuts';
import type { FilterPopupProps } from './filter-popup';
import type { TableState } from './table-state';

/** A filter that the API has for this list. */
export interface TableFilter {
  /** The query parameter. */
  name: string;
  label: string;
  options: readonly { value: string; label: string }[];
}

interface TableToolbarProps {
  state: TableState;
  /** "secrets", for the names of the controls. */
  nouns: string;
  searchable: boolean;
  filters: readonly TableFilter[];
  /** More controls of the page's own. */
  children?: ReactNode;
}

export function TableToolbar({ state, nouns, searchable, filters, children }: TableToolbarProps) {
  if (!searchable && filters.length === 0 && !children) return null;
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      {searchable && <SearchField state={state} nouns={nouns} />}
      {filters.map((filter) => (
        <FilterMenu key={filter.name} filter={filter} state={state} />
      ))}
      {children}
      {state.narrowed && (
        <Button variant="quiet" onClick={state.clear}>
          <X /> Clear
        </Button>
      )}
    </div>
  );
}

/** How long a pause in typing is before the server is asked. */
const TYPING_MS = 200;

function SearchField({ state, nouns }: { state: TableState; nouns: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(state.search);
  const [asked, setAsked] = useState(state.search);

  // The address may change without this field: back, forward, "Clear".
  if (state.search !== asked) {
    setAsked(state.search);
    setText(state.search);
  }

  useEffect(() => {
    if (text === asked) return;
    const timer = setTimeout(() => {
      setAsked(text);
      state.set({ search: text });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, asked, state]);

  useEffect(() => {
    const focusOnSlash = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isShortcut(event)) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener('keydown', focusOnSlash);
    return () => document.removeEventListener('keydown', focusOnSlash);
  }, []);

  return (
    <search className="group relative w-full sm:w-72">
      <Search
        className="pointer-events-none absolute inset-y-0 left-2.5 my-auto size-4 text-ink-subtle"
        aria-hidden="true"
      />
      <Input
        ref={field}
        type="search"
        aria-label={`Search ${nouns}`}
        placeholder={`Search ${nouns}`}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          if (text === '') event.currentTarget.blur();
          setText('');
        }}
        className="pr-8 pl-8 [&::-webkit-search-cancel-button]:hidden"
      />
      <span
        className="pointer-events-none absolute inset-y-0 right-2 hidden items-center group-focus-within:hidden sm:flex"
        aria-hidden="true"
      >
        {text === '' && <Key>/</Key>}
      </span>
    </search>
  );
}

const FilterPopup = deferred<FilterPopupProps>('menu', () =>
  import('./filter-popup').then((module) => module.FilterPopup),
);

function FilterMenu({ filter, state }: FilterPopupProps) {
  const value = state.filter(filter.name);
  const chosen = filter.options.find((option) => option.value === value);
  const trigger = (
    <Button className={chosen ? 'border-accent bg-accent-soft' : undefined}>
      <span className={chosen ? 'text-ink-muted' : undefined}>{filter.label}</span>
      {chosen && <span>{chosen.label}</span>}
      <ChevronDown className="text-ink-subtle" />
    </Button>
  );
  return <FilterPopup trigger={trigger} filter={filter} state={state} />;
}
