import { type NavigationEntry, pagesOf, type ResourceKind } from '@/components/kit/page/navigation';
import { typeWords } from '@/lib/format/resource-type';
import { portalNavigation } from './portal-navigation';

/** One resource, as the API names it in searches, notifications and bills. */
export interface NamedResource {
  type: string;
  id: string;
  name: string | null;
}

type FoundKind = ResourceKind & Required<Pick<ResourceKind, 'found'>>;

const isFound = (entry: NavigationEntry): entry is FoundKind => 'found' in entry;

/** By type in the API: whatever in the navigation says where one of its resources is found. */
const places: Readonly<Record<string, FoundKind>> = Object.fromEntries(
  portalNavigation
    .flatMap(({ entries }) => entries.flatMap(pagesOf))
    .filter(isFound)
    .map((kind) => [kind.found.type, kind]),
);

/** The icon of a type of resource, if it has pages. */
export function iconOf(type: string) {
  return places[type]?.icon;
}

/** The pages of a type of resource, if it has some. */
export function kindOf(type: string): ResourceKind | undefined {
  return places[type];
}

/** All types of resources, for filters. */
export const typeOptions = Object.entries(places)
  .filter(([type]) => !['budget', 'access_key'].includes(type))
  .map(([value, { noun }]) => ({ value, label: noun.charAt(0).toUpperCase() + noun.slice(1) }));

/** A type in words: "floating IP". */
export function nounOf(type: string): string {
  return places[type]?.noun ?? typeWords(type);
}

/** The list of a type; undefined if the type has no pages. */
export function listOf(project: string, type: string): string | undefined {
  return places[type]?.href(project);
}

/** Several of a type in words, as a title: "Floating IPs". */
export function titleOf(type: string): string {
  const label = places[type]?.title ?? places[type]?.label ?? typeWords(type);
  return `${label.charAt(0).toUpperCase()}${label.slice(1)}`;
}

/** Where a resource of a project is shown; undefined if its type has no pages. */
export function hrefOf(project: string, { type, id, name }: NamedResource): string | undefined {
  return places[type]?.found.one(project, id, name === null ? undefined : { search: name });
}
