import { inProject, withQuery } from '@/lib/address';

/** The tabs of a layer's page, each with an address. */
export type LayerTab = 'versions' | 'sharing' | 'activity';

/** Addresses of the pages of this domain. */
export const layersPaths = {
  layers: (project: string, shown?: { search?: string; shared?: string }) =>
    withQuery(inProject(project, 'serverless/layers'), shown),
  newLayer: (project: string) => inProject(project, 'serverless/layers/new'),
  layer: (project: string, id: string, tab?: LayerTab) =>
    withQuery(inProject(project, `serverless/layers/${id}`), { tab: tab === 'versions' ? undefined : tab }),
};
