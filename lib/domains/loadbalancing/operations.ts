import { z } from 'zod';
import { operationKind } from '@/lib/core/operations/kind';

const nothing = z.strictObject({});
const MINUTE_MS = 60_000;

/** Starts both nodes. The program may have to be fetched first. */
export const createLoadBalancerKind = operationKind({
  kind: 'load_balancer.create',
  resource_type: 'load_balancer',
  stages: ['nodes', 'members'],
  input: nothing,
  deadline_ms: 15 * MINUTE_MS,
});

/** Brings a new configuration to both nodes. */
export const replaceLoadBalancerKind = operationKind({
  kind: 'load_balancer.replace',
  resource_type: 'load_balancer',
  stages: ['nodes', 'members'],
  input: nothing,
  deadline_ms: 10 * MINUTE_MS,
});

export const deleteLoadBalancerKind = operationKind({
  kind: 'load_balancer.delete',
  resource_type: 'load_balancer',
  stages: ['nodes', 'remove'],
  input: nothing,
  deadline_ms: 10 * MINUTE_MS,
  supersedes: true,
});

/** A child of `load_balancer.delete`: its end tells that the node has no data to keep. */
export const deleteNodeKind = operationKind({
  kind: 'load_balancer_node.delete',
  resource_type: 'load_balancer_node',
  stages: ['remove'],
  input: nothing,
  deadline_ms: 5 * MINUTE_MS,
});
