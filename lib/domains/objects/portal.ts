import type { DomainPortal } from '@/lib/core/domains/portal';

export const objectsPortal: DomainPortal = {
  topics: { bucket: ['/api/v1/storage/buckets', '/api/v1/storage/credentials'] },
  actions: {
    'access_key.create': 'created S3 access key',
    'access_key.delete': 'deleted S3 access key',
    'object.presign': 'presigned an address in bucket',
    'object.begin_upload': 'began an upload to bucket',
    'object.complete_upload': 'uploaded an object to bucket',
    'object.cancel_upload': 'cancelled an upload to bucket',
    'object.copy': 'copied an object to bucket',
    'object.delete': 'deleted an object of bucket',
    'object.delete_many': 'deleted objects of bucket',
  },
  sections: { Storage: ['Object storage'] },
};
