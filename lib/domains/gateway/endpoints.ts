import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import { routeManifest } from './manifest';
import * as schema from './schema';
import * as routes from './service';

/** The API of gateway routes (spec 4.12). */
export const gatewayEndpoints = [
  endpoint({
    method: 'GET',
    path: '/gateway/routes',
    operation_id: 'listRoutes',
    summary: 'List gateway routes',
    tag: 'Gateway routes',
    access: 'reader',
    query: schema.routeQuery,
    responses: { 200: z.array(schema.route) },
    handle: (call, { query }) => routes.listRoutes(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/gateway/routes',
    operation_id: 'applyRoute',
    summary: 'Create or replace a gateway route',
    description:
      'A route with the same name is replaced as a whole: 200. Otherwise one is created: 201. Requests for its host and path ' +
      'prefix go to the backends by weight; a longer prefix wins. Changed weights hold for the next request. A `rollout` ' +
      'moves the weights step by step, and back when errors or latency exceed a limit.',
    tag: 'Gateway routes',
    access: 'member',
    body: schema.createRoute,
    responses: { 201: schema.route, 200: schema.route },
    errors: ['CONFLICT', 'ENGINE_UNAVAILABLE'],
    claims: ['api_gateways'],
    audit: 'gateway_route.apply',
    estimate: (call, { body }) => routes.estimateRoute(call, body),
    handle: (call, { body }) => routes.applyRoute(call, body),
  }),
  endpoint({
    method: 'GET',
    path: '/gateway/routes/{id}',
    operation_id: 'getRoute',
    summary: 'Read a gateway route',
    tag: 'Gateway routes',
    access: 'reader',
    params: idParams,
    responses: { 200: schema.route },
    handle: (call, { params }) => routes.readRoute(call, params.id),
  }),
  endpoint({
    method: 'DELETE',
    path: '/gateway/routes/{id}',
    operation_id: 'deleteRoute',
    summary: 'Delete a gateway route',
    tag: 'Gateway routes',
    access: 'member',
    params: idParams,
    responses: { 204: null },
    audit: 'gateway_route.delete',
    handle: (call, { params }) => routes.deleteRoute(call, params.id),
  }),
  endpoint({
    method: 'GET',
    path: '/gateway/routes/{id}/manifest',
    operation_id: 'getRouteManifest',
    summary: 'Read a gateway route as a Kubernetes manifest',
    description: 'An `HTTPRoute` of the Kubernetes Gateway API v1, with the services that it names.',
    tag: 'Gateway routes',
    access: 'reader',
    params: idParams,
    responses: { 200: { stream: 'application/yaml' } },
    handle: async (call, { params }) => routeManifest(await routes.readRoute(call, params.id)),
  }),
  endpoint({
    method: 'POST',
    path: '/gateway/routes/{id}/rollback',
    operation_id: 'rollBackRoute',
    summary: 'Stop a rollout and restore the weights of before',
    tag: 'Gateway routes',
    access: 'member',
    params: idParams,
    responses: { 200: schema.route },
    errors: ['CONFLICT'],
    audit: 'gateway_route.roll_back',
    handle: (call, { params }) => routes.rollBackRoute(call, params.id),
  }),
];
