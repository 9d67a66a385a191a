import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import * as schema from './schema';
import * as balancers from './service';

/** The API of load balancers (spec 4.4). */
export const loadbalancingEndpoints = [
  endpoint({
    method: 'GET',
    path: '/lbaas/loadbalancers',
    operation_id: 'listLoadBalancers',
    summary: 'List load balancers',
    tag: 'Load balancers',
    access: 'reader',
    query: schema.loadBalancerQuery,
    responses: { 200: z.array(schema.loadBalancer) },
    handle: (call, { query }) => balancers.listLoadBalancers(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/lbaas/loadbalancers',
    operation_id: 'createLoadBalancer',
    summary: 'Create a load balancer with a virtual IP',
    description:
      'Two HAProxy nodes run on the network. The active one answers at the virtual IP; if it fails, the other takes over ' +
      'within two seconds. Members are instances or addresses of the network.',
    tag: 'Load balancers',
    access: 'member',
    body: schema.createLoadBalancer,
    responses: { 201: schema.loadBalancer },
    errors: ['CONFLICT', 'CAPACITY_EXHAUSTED', 'ENGINE_UNAVAILABLE'],
    freezable: true,
    audit: 'load_balancer.create',
    estimate: (call, { body }) => balancers.estimateLoadBalancer(call, body),
    handle: (call, { body }) => balancers.createLoadBalancer(call, body),
  }),
  endpoint({
    method: 'GET',
    path: '/lbaas/loadbalancers/{id}',
    operation_id: 'getLoadBalancer',
    summary: 'Read a load balancer',
    tag: 'Load balancers',
    access: 'reader',
    params: idParams,
    responses: { 200: schema.loadBalancer },
    handle: (call, { params }) => balancers.readLoadBalancer(call, params.id),
  }),
  endpoint({
    method: 'PUT',
    path: '/lbaas/loadbalancers/{id}',
    operation_id: 'replaceLoadBalancer',
    summary: 'Replace the listeners, pools and members of a load balancer',
    description:
      'The body is the whole desired state; listeners with the same port keep their ids. Weights, members and ' +
      'certificates change without a reload.',
    tag: 'Load balancers',
    access: 'member',
    params: idParams,
    body: schema.replaceLoadBalancer,
    responses: { 202: schema.loadBalancer },
    errors: ['CONFLICT'],
    audit: 'load_balancer.replace',
    handle: (call, { params, body }) => balancers.replaceLoadBalancer(call, params.id, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/lbaas/loadbalancers/{id}',
    operation_id: 'deleteLoadBalancer',
    summary: 'Delete a load balancer',
    tag: 'Load balancers',
    access: 'member',
    params: idParams,
    responses: { 202: schema.loadBalancer },
    errors: ['CONFLICT'],
    audit: 'load_balancer.delete',
    handle: (call, { params }) => balancers.deleteLoadBalancer(call, params.id),
  }),
  endpoint({
    method: 'GET',
    path: '/lbaas/listeners',
    operation_id: 'listListeners',
    summary: 'List listeners',
    tag: 'Load balancers',
    access: 'reader',
    query: schema.listenerQuery,
    responses: { 200: z.array(schema.listener) },
    handle: (call, { query }) => balancers.listListeners(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/lbaas/pools',
    operation_id: 'listPools',
    summary: 'List pools with the health of their members',
    tag: 'Load balancers',
    access: 'reader',
    query: schema.poolQuery,
    responses: { 200: z.array(schema.pool) },
    handle: (call, { query }) => balancers.listPools(call, query),
  }),
];
