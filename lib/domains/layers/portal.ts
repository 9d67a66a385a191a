import type { DomainPortal } from '@/lib/core/domains/portal';

export const layersPortal: DomainPortal = {
  topics: {
    layer: ['/api/v1/layers', '/api/v1/layers/{id}', '/api/v1/layers/{id}/permissions'],
    layer_version: ['/api/v1/layers', '/api/v1/layers/{id}', '/api/v1/layers/{id}/versions'],
  },
  actions: {
    'layer.publish': 'publish a version of layer',
    'layer.share': 'share layer',
    'layer.unshare': 'stop sharing layer',
    'layer_version.delete': 'delete a version of layer',
  },
  sections: { Serverless: ['Layers'] },
};
