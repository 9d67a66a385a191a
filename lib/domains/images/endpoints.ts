import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import { settings } from '@/lib/settings';
import * as schema from './schema';
import * as service from './service';

/** Operating system images (spec 4.7). */
export const imageEndpoints = [
  endpoint({
    method: 'GET',
    path: '/images/images',
    operation_id: 'listImages',
    summary: 'List public images and the project’s own',
    tag: 'Images',
    access: 'reader',
    query: schema.imageQuery,
    responses: { 200: z.array(schema.image) },
    handle: (call, { query }) => service.listImages(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/images/images',
    operation_id: 'uploadImage',
    rate: 'heavy',
    summary: 'Upload a custom image',
    description:
      'As a form with `name`, `format` and `file`, or as raw bytes with `name` and `format` in the query. The bytes are ' +
      'checked against the format: the image is `importing`, then `active`, or `error` with a reason. An image that ' +
      'refers to external files is refused. An interrupted upload leaves nothing behind.',
    tag: 'Images',
    access: 'member',
    query: schema.uploadQuery,
    body: schema.uploadForm,
    upload: {
      content_types: ['application/octet-stream', 'multipart/form-data'],
      // Read when it is needed: settings are not there yet while modules load.
      get max_bytes() {
        return settings().imageMaxBytes + 64 * 1024;
      },
    },
    responses: { 201: schema.image },
    errors: ['CONFLICT', 'CAPACITY_EXHAUSTED', 'ENGINE_UNAVAILABLE'],
    audit: 'image.upload',
    idempotency: 'none',
    handle: (call, { query, upload }) => service.uploadImage(call, query, upload),
  }),
  endpoint({
    method: 'GET',
    path: '/images/images/{id}',
    operation_id: 'getImage',
    summary: 'Read an image',
    tag: 'Images',
    access: 'reader',
    params: idParams,
    responses: { 200: schema.image },
    handle: (call, { params }) => service.readImage(call, params.id),
  }),
  endpoint({
    method: 'DELETE',
    path: '/images/images/{id}',
    operation_id: 'deleteImage',
    summary: 'Delete a custom image',
    description: 'A conflict while instances or volumes depend on it; the message names them.',
    tag: 'Images',
    access: 'member',
    params: idParams,
    responses: { 202: schema.image },
    errors: ['CONFLICT'],
    audit: 'image.delete',
    handle: (call, { params }) => service.deleteImage(call, params.id),
  }),
];
