import { fullPath } from '@/lib/core/api/endpoint';
import { JSON_BODY_BYTES } from '@/lib/core/api/request';
import { endpoints } from './endpoints';

const uploads = endpoints
  .filter(({ upload }) => upload && upload.max_bytes > JSON_BODY_BYTES)
  .map((endpoint) => ({
    method: endpoint.method,
    path: new RegExp(`^${fullPath(endpoint).replace(/\{\w+\}/g, '[^/]+')}/?$`),
  }));

/** Whether a request goes to an endpoint for files larger than any JSON body, which gets extra time. */
export function isLargeUpload(method: string, path: string): boolean {
  return uploads.some((upload) => upload.method === method && upload.path.test(path));
}
