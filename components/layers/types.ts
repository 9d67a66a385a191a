import type { Row } from '@/lib/client/list';

export type Layer = Row<'/api/v1/layers'>;
export type LayerVersion = Row<'/api/v1/layers/{id}/versions'>;

/** Runtimes whose package index a version can be built from. */
export const builtRuntimes = [
  { value: 'python3.11', label: 'Python 3.11', description: 'Packages of PyPI, by pip' },
  { value: 'nodejs24', label: 'Node.js 24', description: 'Packages of npm' },
  { value: 'nodejs20', label: 'Node.js 20', description: 'Packages of npm' },
] as const;

const names = new Map<string, string>([...builtRuntimes.map(({ value, label }) => [value, label] as const)]);

/** "Python 3.11"; versions from archives are for any runtime. */
export const runtimeName = (runtime: string | null): string =>
  runtime === null ? 'Any' : (names.get(runtime) ?? runtime);

/** Who may use a layer, in words. */
export function sharingOf({ is_public, shared_with }: Pick<Layer, 'is_public' | 'shared_with'>): string {
  if (is_public) return 'Public';
  if (!shared_with) return 'This project';
  return shared_with === 1 ? '1 other project' : `${shared_with} other projects`;
}

/** Why a layer that another project owns can't be changed here. */
export const whyNotOwn = ({ is_own, owner }: Layer): string | undefined =>
  is_own ? undefined : `Belongs to project ${owner}.`;
