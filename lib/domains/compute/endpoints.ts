import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import * as consoles from './console';
import * as estimates from './estimate';
import { listFlavors } from './flavors';
import * as keyPairs from './key-pairs';
import { readMetrics } from './metrics';
import * as schema from './schema';
import * as service from './service';

const instanceEndpoints = [
  endpoint({
    method: 'GET',
    path: '/compute/instances',
    operation_id: 'listInstances',
    summary: 'List instances',
    tag: 'Instances',
    access: 'reader',
    query: schema.instanceQuery,
    responses: { 200: z.array(schema.instance) },
    handle: (call, { query }) => service.listInstances(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/compute/instances',
    operation_id: 'createInstance',
    summary: 'Launch an instance from a flavor, an image and a network',
    description:
      'The instance is `provisioning` until its guest boots, which may wait until its image has been fetched. ' +
      'Quota and host capacity are reserved before anything is allocated.',
    tag: 'Instances',
    access: 'member',
    body: schema.createInstance,
    responses: { 201: schema.instance },
    errors: ['CONFLICT', 'CAPACITY_EXHAUSTED', 'ENGINE_UNAVAILABLE'],
    claims: ['vcpus', 'ram_gb', 'instances'],
    freezable: true,
    audit: 'instance.create',
    estimate: (call, { body }) => estimates.estimateInstance(call, body),
    handle: (call, { body }) => service.createInstance(call, body),
  }),
  endpoint({
    method: 'GET',
    path: '/compute/instances/{id}',
    operation_id: 'getInstance',
    summary: 'Read an instance',
    tag: 'Instances',
    access: 'reader',
    params: idParams,
    responses: { 200: schema.instance },
    handle: (call, { params }) => service.readInstance(call, params.id),
  }),
  endpoint({
    method: 'PATCH',
    path: '/compute/instances/{id}',
    operation_id: 'updateInstance',
    summary: 'Rename an instance',
    description: 'Possible in every state. The hostname of the guest does not change.',
    tag: 'Instances',
    access: 'member',
    params: idParams,
    body: schema.updateInstance,
    responses: { 200: schema.instance },
    audit: 'instance.rename',
    handle: (call, { params, body }) => service.renameInstance(call, params.id, body.name),
  }),
  endpoint({
    method: 'DELETE',
    path: '/compute/instances/{id}',
    operation_id: 'deleteInstance',
    summary: 'Delete an instance',
    description:
      'Possible in every state; any operation in progress is cancelled. Its volumes become available and its floating IPs ' +
      'stay in the project. The quota is returned when deletion is complete.',
    tag: 'Instances',
    access: 'member',
    params: idParams,
    responses: { 202: schema.instance },
    audit: 'instance.delete',
    handle: (call, { params }) => service.deleteInstance(call, params.id),
  }),
  endpoint({
    method: 'POST',
    path: '/compute/instances/{id}/action',
    operation_id: 'actOnInstance',
    summary: 'Reboot, start, stop, pause, unpause or rebuild an instance',
    description:
      '`reboot` and `stop` press the power button, and force the action if the guest does not respond. `rebuild` replaces ' +
      'the disk and keeps id, ports and addresses. An action that the current state does not allow is a conflict.',
    tag: 'Instances',
    access: 'member',
    params: idParams,
    body: schema.instanceAction,
    responses: { 202: schema.instance },
    errors: ['CONFLICT'],
    audit: 'instance.action',
    estimate: (call, { params, body }) => estimates.estimateAction(call, params.id, body),
    handle: (call, { params, body }) => service.actOnInstance(call, params.id, body),
  }),
  endpoint({
    method: 'GET',
    path: '/compute/instances/{id}/console',
    operation_id: 'openConsole',
    summary: 'Open an instance’s console in the browser',
    description:
      'The URL contains a single-use ticket; treat it like a password. A second tab shows the serial console. The ' +
      'console ends with the session, token or workload credential of this call, at the latest at `expires_at`.',
    tag: 'Instances',
    access: 'member',
    params: idParams,
    responses: { 200: schema.instanceConsole },
    errors: ['CONFLICT'],
    audit: 'instance.open_console',
    secret_answer: true,
    handle: (call, { params }) => consoles.openConsole(call, params.id),
  }),
  endpoint({
    method: 'GET',
    path: '/compute/instances/{id}/console-log',
    operation_id: 'readConsoleLog',
    summary: 'Read the serial console log',
    tag: 'Instances',
    access: 'reader',
    params: idParams,
    query: schema.consoleLogQuery,
    responses: { 200: schema.consoleLog },
    errors: ['ENGINE_UNAVAILABLE'],
    handle: (call, { params, query }) => consoles.readConsoleLog(call, params.id, query.lines),
  }),
  endpoint({
    method: 'GET',
    path: '/compute/instances/{id}/metrics',
    operation_id: 'readInstanceMetrics',
    summary: 'Read an instance’s resource usage over time',
    tag: 'Instances',
    access: 'reader',
    params: idParams,
    query: schema.metricsQuery,
    responses: { 200: schema.instanceMetrics },
    handle: (call, { params, query }) => readMetrics(call, params.id, query.range),
  }),
  endpoint({
    method: 'GET',
    path: '/compute/flavors',
    operation_id: 'listFlavors',
    summary: 'List flavors',
    description: 'Instance sizes, smallest first.',
    tag: 'Instances',
    access: 'reader',
    query: schema.flavorQuery,
    responses: { 200: z.array(schema.flavor) },
    handle: (call, { query }) => listFlavors(call, query),
  }),
];

const keyPairEndpoints = [
  endpoint({
    method: 'GET',
    path: '/compute/keypairs',
    operation_id: 'listKeyPairs',
    summary: 'List key pairs',
    description: 'Public keys only; private keys are never stored.',
    tag: 'Key pairs',
    access: 'reader',
    query: schema.keyPairQuery,
    responses: { 200: z.array(schema.keyPair) },
    handle: (call, { query }) => keyPairs.listKeyPairs(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/compute/keypairs',
    operation_id: 'createKeyPair',
    summary: 'Import a public key, or generate a key pair',
    description:
      'Without `public_key`, an ed25519 key pair is generated; its private key is returned in this response only.',
    tag: 'Key pairs',
    access: 'member',
    body: schema.createKeyPair,
    responses: { 201: schema.createdKeyPair },
    errors: ['CONFLICT'],
    audit: 'key_pair.create',
    secret_answer: true,
    handle: (call, { body }) => keyPairs.createKeyPair(call, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/compute/keypairs/{id}',
    operation_id: 'deleteKeyPair',
    summary: 'Delete a key pair',
    description: 'Existing instances keep the public key.',
    tag: 'Key pairs',
    access: 'member',
    params: idParams,
    responses: { 204: null },
    audit: 'key_pair.delete',
    handle: (call, { params }) => keyPairs.deleteKeyPair(call, params.id),
  }),
];

/** Instances, flavors and key pairs (spec 4.2). */
export const computeEndpoints = [...instanceEndpoints, ...keyPairEndpoints];
