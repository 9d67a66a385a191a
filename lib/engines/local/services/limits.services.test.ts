import { userInfo } from 'node:os';
import { expect, it } from 'vitest';
import { namesIn } from '../record';
import { serviceGroups } from './bundle';
import { SERVICE_LIMITS, serviceLimits } from './limits';
import { testServicesHere } from './test-subject';

await testServicesHere(({ host }) => {
  it('reports each limit as tried on this host, and leaves no trace of the trial', async () => {
    const limits = await serviceLimits(host);
    for (const { limit, ...kept } of limits) expect(kept, limit).toEqual(SERVICE_LIMITS[limit][host.isolation]);
    expect(await namesIn(`/sys/fs/cgroup/memory/nephele-${host.tag}-services`)).toEqual([]);
  });

  it.skipIf(userInfo().uid !== 0)('finds out by exceeding them which limits the kernel holds a group to', async () => {
    const groups = serviceGroups(host);
    const held = await groups.held();
    expect(held.toSorted()).toEqual((await groups.kinds()).toSorted());
  });
});
