'use client';

import { useState } from 'react';

/** Rows of the shown page that are selected. */
export interface Selection {
  has: (id: string) => boolean;
  count: number;
  /** @param range with all rows from the one that was toggled last */
  toggle: (id: string, on: boolean, range: boolean) => void;
  toggleAll: (on: boolean) => void;
  clear: () => void;
}

const nothing: ReadonlySet<string> = new Set();

/** The selection among these rows. Deleted rows are no longer selected. */
export function useSelection(ids: readonly string[]): Selection {
  const [chosen, setChosen] = useState(nothing);
  const [last, setLast] = useState<string>();
  const change = (changed: readonly string[], on: boolean) => {
    const next = new Set(chosen);
    for (const id of changed) {
      if (on) next.add(id);
      else next.delete(id);
    }
    setChosen(next);
  };
  return {
    has: (id) => chosen.has(id),
    count: ids.filter((id) => chosen.has(id)).length,
    toggle: (id, on, range) => {
      change(range ? rangeOf(ids, last, id) : [id], on);
      setLast(id);
    },
    toggleAll: (on) => change(ids, on),
    clear: () => setChosen(nothing),
  };
}

/** All ids from one to another, in either direction; only the second if the first is not among them. */
export function rangeOf(ids: readonly string[], from: string | undefined, to: string): readonly string[] {
  const ends = [from === undefined ? -1 : ids.indexOf(from), ids.indexOf(to)];
  return ends.includes(-1) ? [to] : ids.slice(Math.min(...ends), Math.max(...ends) + 1);
}
