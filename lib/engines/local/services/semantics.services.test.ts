import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serviceSemantics } from '../../contract/semantics/services';
import { eventually } from '../../contract/service-subject';
import { argumentsOf, isAtWork } from '../processes';
import { findSandbox, processesOf, supervisorOf } from './sandbox';
import { serviceDirectory } from './service-record';
import { shellServers } from './shell-servers';
import { testServicesHere } from './test-subject';

await testServicesHere(({ host, subject }) => {
  serviceSemantics('local, as this user', async () => shellServers(host, subject));

  it('a service that is killed while the runtime makes its sandbox does not start any more, until it is wanted again', async () => {
    const { services } = subject;
    const spec = shellServers(host, subject).server();
    await services.ensureService(spec);
    let maker = 0;
    await eventually(async () => {
      if (!supervisorOf(host, spec.id)) await services.ensureService(spec);
      const supervisor = supervisorOf(host, spec.id);
      const begun = supervisor ? processesOf(supervisor.pid) : [];
      maker = begun.find((pid) => argumentsOf(pid).includes('--detach')) ?? 0;
      if (maker > 0) process.kill(maker, 'SIGSTOP');
      // It has made the sandbox already: the next one is caught.
      else if (await findSandbox(host, spec.id)) await services.killService(spec.id);
      return maker > 0;
    });
    await services.killService(spec.id);
    if (isAtWork(maker)) process.kill(maker, 'SIGCONT');
    await eventually(async () => !isAtWork(maker));
    expect(await findSandbox(host, spec.id)).toBeUndefined();
    await eventually(async () => (await services.ensureService(spec)).settled);
    await services.removeService(spec.id);
    expect(await subject.leftovers()).toEqual([]);
  });

  it('a service starts though the runtime was killed while it wrote its pid file', async () => {
    const { services } = subject;
    const spec = shellServers(host, subject).server();
    await eventually(async () => (await services.ensureService(spec)).settled);
    await services.killService(spec.id);
    writeFileSync(join(serviceDirectory(host, spec.id), '.pid'), '1');
    await eventually(async () => (await services.ensureService(spec)).settled);
    await services.removeService(spec.id);
  });
});
