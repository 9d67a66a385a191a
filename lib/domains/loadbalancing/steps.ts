import { sql } from '@/lib/core/db/sql';
import { deviceDelete } from '@/lib/core/devices/device';
import { withChildren } from '@/lib/core/operations/children';
import {
  again,
  type CellStep,
  done,
  failure,
  goTo,
  type OperationSteps,
  operationSteps,
  type Step,
} from '@/lib/core/operations/steps';
import { throughEngine } from '@/lib/core/resources/engine-step';
import { rowInError, settledRow } from '@/lib/core/resources/rows';
import { portsReleased } from '@/lib/domains/network/ports';
import { ensureWired } from '@/lib/domains/network/topology';
import { engineOf } from '@/lib/engines/engines';
import type { Settlement } from '@/lib/hosts/services/engine';
import { nodeSpecs } from './node-spec';
import { readBalancers, settleMembers, socketOf, statsOf } from './nodes';
import { createLoadBalancerKind, deleteLoadBalancerKind, deleteNodeKind, replaceLoadBalancerKind } from './operations';
import { settleTls } from './runtime-certificates';

const TABLE = 'load_balancers';
const AGAIN_MS = 200;

/** Both nodes with their configuration, and then their certificates and members. */
const nodes = (step: CellStep<unknown>) =>
  throughEngine(
    step,
    TABLE,
    () => ensureNodes(step),
    () => goTo('members'),
  );

async function ensureNodes({ operation, cell }: CellStep<unknown>): Promise<Settlement> {
  if (operation.project_id) await ensureWired(cell, operation.project_id);
  const specs = await nodeSpecs(sql`b.id = ${operation.resource_id}::uuid`);
  const answers = await Promise.all(specs.map((spec) => engineOf(cell).services.ensureService(spec)));
  return answers.find(({ settled }) => !settled) ?? { settled: true };
}

async function members({ operation, cell }: CellStep<unknown>) {
  const [balancer] = await readBalancers(sql`b.id = ${operation.resource_id}::uuid`);
  if (!balancer) return failure('The load balancer is gone.');
  const files = new Map((await nodeSpecs(sql`b.id = ${balancer.id}::uuid`)).map((spec) => [spec.id, spec.files]));
  const settled = await Promise.all(
    balancer.nodes.map(async ({ id }) => {
      const stats = await statsOf(cell, id);
      const hasCertificates = stats !== undefined && (await settleTls(socketOf(cell, id), files.get(id) ?? []));
      return hasCertificates && (await settleMembers(cell, id, balancer.pools, stats));
    }),
  );
  if (settled.includes(false))
    return again(AGAIN_MS, { waits_for: 'both nodes to take over the certificates and members' });
  return done({ rows: { settled: settledRow(TABLE, balancer.id, 'active') } });
}

const inError = async ({ operation }: Step<unknown>, reason: string) =>
  done({ rows: { failed: rowInError(TABLE, operation.resource_id, reason) } });

export const loadbalancingSteps: OperationSteps[] = [
  operationSteps(createLoadBalancerKind, { nodes, members }, { failed: inError, concurrency: 4 }),
  operationSteps(replaceLoadBalancerKind, { nodes, members }, { failed: inError, concurrency: 4 }),
  operationSteps(
    deleteLoadBalancerKind,
    {
      async nodes(step) {
        const [balancer] = await readBalancers(sql`b.id = ${step.operation.resource_id}::uuid`);
        const children = Object.fromEntries(
          (balancer?.nodes ?? []).map(({ id, ordinal }) => [
            `node ${ordinal}`,
            deleteNodeKind.start(id, {}, { cell_id: step.cell }),
          ]),
        );
        return withChildren(step, { children, waits_for: 'its nodes' }, (ended) => {
          const lost = ended.find(({ status }) => status !== 'succeeded');
          return lost ? failure(`${lost.name}: ${lost.error}`) : goTo('remove');
        });
      },
      async remove({ operation }) {
        const { resource_id: id, project_id } = operation;
        return done({
          rows: {
            ...portsReleased(id, project_id),
            balancer: sql`DELETE FROM load_balancers USING verdict WHERE verdict.ok AND load_balancers.id = ${id}::uuid`,
            device: deviceDelete(id),
          },
          release: true,
        });
      },
    },
    { failed: inError, concurrency: 4 },
  ),
  operationSteps(
    deleteNodeKind,
    {
      async remove({ operation, cell }) {
        const { resource_id: id, project_id } = operation;
        await engineOf(cell).services.removeService(id);
        return done({
          rows: {
            ...portsReleased(id, project_id),
            node: sql`DELETE FROM load_balancer_nodes USING verdict WHERE verdict.ok AND load_balancer_nodes.id = ${id}::uuid`,
            device: deviceDelete(id),
          },
          release: true,
        });
      },
    },
    { failed: async () => done(), concurrency: 4 },
  ),
];
