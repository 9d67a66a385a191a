import type { DomainPortal } from '@/lib/core/domains/portal';

export const layersPortal: DomainPortal = {
  topics: { layer: ['/api/v1/layers'] },
  actions: {
    'layer.publish': 'publish a version of layer',
    'layer.share': 'share layer',
    'layer.unshare': 'stop sharing layer',
    'layer.delete_version': 'delete a version of layer',
  },
  sections: { Serverless: ['Layers'] },
};
