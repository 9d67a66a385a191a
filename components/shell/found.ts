'use client';

import { useEffect, useState } from 'react';
import { type Realm, useRealm } from '@/components/kit/page/place';
import { useProjectIfAny } from '@/lib/client/project';
import type { components } from '@/lib/client/schema';
import { useApi } from '@/lib/client/scope';
import { adminPaths } from '@/lib/paths';
import type { PaletteCommand } from './commands';
import { hrefOf, iconOf, nounOf } from './places';

export type SearchResult = components['schemas']['SearchResult'] | components['schemas']['PlatformSearchResult'];

/** How long a pause in typing is before the server is asked. */
const TYPING_MS = 120;
/** The most that the API takes. */
const LONGEST_TEXT = 100;

const paths: Readonly<Record<Realm, '/api/v1/search' | '/admin/api/v1/search'>> = {
  portal: '/api/v1/search',
  backoffice: '/admin/api/v1/search',
};

/** Search results of the server. */
export interface Found {
  results: readonly SearchResult[];
  pending: boolean;
  failed: boolean;
}

/** Search results of the server for a text; empty without one. */
export function useFound(text: string): Found {
  const { api } = useApi();
  const q = usePaused(text.trim().slice(0, LONGEST_TEXT));
  const enabled = q !== '';
  const { data, isFetching, isError } = api.useQuery(
    'get',
    paths[useRealm()],
    { params: { query: { q } } },
    { enabled },
  );
  return { results: enabled && data ? data : [], pending: isFetching || q !== text.trim(), failed: isError };
}

/** A text once it has not changed for a moment. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

/** Results as lines of the palette, each leading to its page. */
export function useFoundLines(results: readonly SearchResult[]): PaletteCommand[] {
  const project = useProjectIfAny()?.slug;
  return results.flatMap((result) => {
    const { type, id, name, address } = result;
    const href = project === undefined ? officeHref(result) : hrefOf(project, result);
    if (href === undefined) return [];
    const detail = [nounOf(type), ...(address !== null && address !== name ? [address] : [])].join(' · ');
    const icon = iconOf(type);
    return [{ group: 'Resources', label: name, id, detail, href, ...(icon && { icon }) }];
  });
}

/** Tenants and users have pages. For other resources, the back office shows their audit log. */
function officeHref({ type, id }: SearchResult): string {
  if (type === 'tenant') return adminPaths.tenant(id);
  return type === 'user' ? adminPaths.user(id) : adminPaths.operations({ resource_id: id });
}
