import type { Estimate, ProjectCall } from '@/lib/core/api/endpoint';
import { planInstance } from './admission';
import { billedWhileRunning } from './billed';
import type { CreateInstance, InstanceAction } from './schema';
import { readInstance } from './service';

/** What a new instance takes while it runs. @throws ApiError as its create would: 404, 400 for what does not fit, 409 */
export async function estimateInstance(call: ProjectCall, input: CreateInstance): Promise<Estimate> {
  // A new project has no default security group yet; which group it is changes no price.
  const { flavor } = await planInstance(call, { ...input, security_group_ids: input.security_group_ids ?? [] });
  const size = { ...flavor, ram_gb: Number(flavor.ram_gb) };
  return {
    claims: [
      { dimension: 'vcpus', amount: size.vcpus },
      { dimension: 'ram_gb', amount: size.ram_gb },
      { dimension: 'instances', amount: 1 },
    ],
    uses: billedWhileRunning(size),
  };
}

/** A stopped instance holds its quota and pays for its disk: a start adds the rest. @throws ApiError 404 */
export async function estimateAction(call: ProjectCall, id: string, { action }: InstanceAction): Promise<Estimate> {
  const { status, flavor } = await readInstance(call, id);
  if (action !== 'start' || status !== 'stopped') return { claims: [], uses: [] };
  return { claims: [], uses: billedWhileRunning({ ...flavor, disk_gb: 0 }) };
}
