'use client';

import { useSyncExternalStore } from 'react';

/** A visited resource page. */
export interface Visit {
  /** The slug of its project; empty in the back office. */
  project: string;
  href: string;
  label: string;
}

/** The navigation state stored in this browser. */
export interface NavigationMemory {
  /** Names of collapsed groups. */
  closed: readonly string[];
  /** Names of pinned entries. */
  pinned: readonly string[];
  /** IDs of projects whose checklist was completed or dismissed. */
  dismissed: readonly string[];
  /** Newest first. */
  visits: readonly Visit[];
}

const KEY = 'nephele-navigation';
const MOST_VISITS = 20;
const nothing: NavigationMemory = { closed: [], pinned: [], dismissed: [], visits: [] };

const listeners = new Set<() => void>();
let memory: NavigationMemory | undefined;

/** The stored state; empty on the server and until the page has hydrated. */
export function useNavigationMemory(): NavigationMemory {
  return useSyncExternalStore(follow, remembered, () => nothing);
}

/** Collapses or expands a group, pins or unpins an entry, dismisses a checklist. */
export function toggle(list: 'closed' | 'pinned' | 'dismissed', name: string, on: boolean): void {
  const current = remembered();
  const others = current[list].filter((other) => other !== name);
  remember({ ...current, [list]: on ? [...others, name] : others });
}

/** Puts a resource at the top of the visits. */
export function recordVisit(visit: Visit): void {
  const current = remembered();
  const [newest] = current.visits;
  if (newest?.href === visit.href && newest.label === visit.label) return;
  remember({ ...current, visits: [visit, ...without(current.visits, visit.href)].slice(0, MOST_VISITS) });
}

/** Removes a deleted resource from the visits. */
export function forgetVisit(href: string): void {
  const current = remembered();
  if (current.visits.some((visit) => visit.href === href))
    remember({ ...current, visits: without(current.visits, href) });
}

function without(visits: readonly Visit[], href: string): Visit[] {
  return visits.filter((visit) => visit.href !== href);
}

function remembered(): NavigationMemory {
  memory ??= parse(read());
  return memory;
}

function remember(next: NavigationMemory): void {
  memory = next;
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // Storage is full or disabled: the state lasts as long as this page.
  }
  for (const listener of listeners) listener();
}

function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Parses the stored state, written by any version of this page. */
export function parse(stored: string | null): NavigationMemory {
  try {
    const value: unknown = JSON.parse(stored ?? '{}');
    if (typeof value !== 'object' || value === null) return nothing;
    const list = (name: string): unknown[] => {
      const found: unknown = Reflect.get(value, name);
      return Array.isArray(found) ? found : [];
    };
    const isText = (item: unknown): item is string => typeof item === 'string';
    return {
      closed: list('closed').filter(isText),
      pinned: list('pinned').filter(isText),
      dismissed: list('dismissed').filter(isText),
      visits: list('visits').filter(isVisit),
    };
  } catch {
    return nothing;
  }
}

function isVisit(item: unknown): item is Visit {
  return (
    typeof item === 'object' &&
    item !== null &&
    ['project', 'href', 'label'].every((name) => typeof Reflect.get(item, name) === 'string')
  );
}

function follow(listener: () => void): () => void {
  listeners.add(listener);
  const onStorage = ({ key }: StorageEvent) => {
    if (key !== KEY) return;
    memory = undefined;
    listener();
  };
  window.addEventListener('storage', onStorage);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', onStorage);
  };
}
