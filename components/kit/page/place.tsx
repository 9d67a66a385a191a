'use client';

import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';

export interface Crumb {
  label: string;
  href?: string;
}

/** Whose pages these are: the tenants', or those of the platform's administrators. */
export type Realm = 'portal' | 'backoffice';

interface Place {
  realm: Realm;
  /** The crumbs that the page itself adds after what the navigation knows. */
  crumbs: readonly Crumb[];
  setCrumbs: (crumbs: readonly Crumb[]) => void;
}

const PlaceContext = createContext<Place>({ realm: 'portal', crumbs: [], setCrumbs: () => {} });

export function PlaceProvider({ realm, children }: { realm: Realm; children: ReactNode }) {
  const [crumbs, setCrumbs] = useState<readonly Crumb[]>([]);
  const place = useMemo(() => ({ realm, crumbs, setCrumbs }), [realm, crumbs]);
  return <PlaceContext value={place}>{children}</PlaceContext>;
}

export function useRealm(): Realm {
  return use(PlaceContext).realm;
}

/** The crumbs that the shell shows. */
export function useCrumbs(): readonly Crumb[] {
  return use(PlaceContext).crumbs;
}

/** Tells the shell where this page is. */
export function useAnnouncedPlace(title: string, parents: readonly Crumb[]) {
  const { setCrumbs } = use(PlaceContext);
  const trail = JSON.stringify([...parents, { label: title }]);
  useEffect(() => {
    setCrumbs(JSON.parse(trail));
    return () => setCrumbs([]);
  }, [trail, setCrumbs]);
}
