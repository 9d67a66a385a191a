import { domain, none } from '@/lib/core/domains/domain';
import { byName } from '@/lib/core/domains/search';
import { settings } from '@/lib/settings';
import { layerEndpoints } from './endpoints';
import { layersPortal } from './portal';
import { layerStatuses } from './schema';

/** Layers: dependencies that functions share, within a project and between projects. */
export const layers = domain({
  name: 'layers',
  endpoints: layerEndpoints,
  tags: { Layers: 'Dependencies that functions share, in immutable versions.' },
  resources: {
    layer: { table: 'layers', statuses: layerStatuses, metering: none, search: byName('/layers') },
  },
  services: [
    {
      id: 'layers',
      name: 'Layers',
      category: 'serverless',
      description: 'Dependencies of functions: built once, shared between functions and projects.',
      resources: ['layer'],
      engines: none,
      limit: () => ({ most: settings().layersPerProject, setting: 'LAYERS_PER_PROJECT' }),
      reference: 'Layers',
    },
  ],
  tables: ['layer_versions', 'layer_permissions', 'layer_uses'],
  dependsOn: none,
  portal: layersPortal,
  sealed: none,
  checks: none,
  work: async () => (await import('./work')).layersWork,
  programs: ['layer-builder'],
  state: ['layers'],
  logs: none,
  metrics: none,
});
