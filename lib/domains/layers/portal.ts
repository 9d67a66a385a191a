import type { DomainPortal } from '@/lib/core/domains/portal';

export const layersPortal: DomainPortal = {
  topics: { layer: ['/api/v1/layers'] },
  actions: {
    'layer.publish': 'published a version of layer',
    'layer.share': 'shared layer',
    'layer.unshare': 'ended the sharing of layer',
    'layer.delete_version': 'deleted a version of layer',
  },
  sections: { Serverless: ['Layers'] },
};
