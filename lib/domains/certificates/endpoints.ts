import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import * as schema from './schema';
import * as service from './service';

/** TLS certificates (spec 4.12). */
export const certificateEndpoints = [
  endpoint({
    method: 'GET',
    path: '/gateway/certificates',
    operation_id: 'listCertificates',
    summary: 'List certificates',
    tag: 'Certificates',
    access: 'reader',
    query: schema.certificateQuery,
    responses: { 200: z.array(schema.certificate) },
    handle: (call, { query }) => service.listCertificates(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/gateway/certificates',
    operation_id: 'createCertificate',
    summary: 'Upload a certificate, or order one',
    description:
      'Upload: the chain must be in order, the key must belong to the certificate, and it must not have expired. The key is ' +
      'encrypted before it is stored, and no answer contains it. With `issuer: acme`, the platform orders the certificate ' +
      'from a certificate authority (RFC 8555) and renews it.',
    tag: 'Certificates',
    access: 'member',
    body: schema.createCertificate,
    responses: { 201: schema.certificate },
    errors: ['CONFLICT'],
    audit: 'certificate.create',
    handle: (call, { body }) => service.createCertificate(call, body),
  }),
  endpoint({
    method: 'GET',
    path: '/gateway/certificates/{id}',
    operation_id: 'getCertificate',
    summary: 'Read a certificate',
    tag: 'Certificates',
    access: 'reader',
    params: idParams,
    responses: { 200: schema.certificate },
    handle: (call, { params }) => service.readCertificate(call, params.id),
  }),
  endpoint({
    method: 'DELETE',
    path: '/gateway/certificates/{id}',
    operation_id: 'deleteCertificate',
    summary: 'Delete a certificate and its key',
    description: 'Refused while a resource serves it.',
    tag: 'Certificates',
    access: 'member',
    params: idParams,
    responses: { 204: null },
    errors: ['CONFLICT'],
    audit: 'certificate.delete',
    handle: (call, { params }) => service.deleteCertificate(call, params.id),
  }),
];
