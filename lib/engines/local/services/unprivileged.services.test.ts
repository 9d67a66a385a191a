import { expect, it } from 'vitest';
import { serviceIsolation } from '../../contract/isolation/services';
import { eventually, type ServiceSubject, settleService, shellService } from '../../contract/service-subject';
import { testServicesAsOrdinaryUser } from './test-subject';

await testServicesAsOrdinaryUser(({ subject }) => {
  serviceIsolation('local, as an ordinary user', async () => subject);
  it(
    'ends a service whose state folder outgrows its size, and holds it until there is room',
    { timeout: 120_000 },
    () => outgrow(subject),
  );
});

/** Many files, each of a size that the kernel lets pass: what only a watcher can notice. */
async function outgrow({ services, shell }: ServiceSubject): Promise<void> {
  const fill =
    'i=0; while [ $i -lt 40 ]; do dd if=/dev/zero of=/state/file$i bs=1M count=1 2> /dev/null; i=$((i+1)); done';
  const script = `[ -e /state/file0 ] || { ${fill}; }; chmod 0 /state; while true; do sleep 1000; done`;
  const spec = shellService({ shell }, script, { state: { sizeMb: 16 } });
  try {
    await eventually(async () => {
      const answer = await services.ensureService(spec);
      return !answer.settled && answer.waits_for === 'Free space in the state folder';
    });
    const found = async () => (await services.observeServices()).find(({ id }) => id === spec.id);
    expect(await found()).toMatchObject({ power: 'stopped', starts: 1, lastExit: { outOfMemory: false } });
    const said = (await services.readLog(spec.id, null, 10)).lines.filter(({ stream }) => stream === 'engine');
    expect(said.map(({ message }) => message)).toEqual([expect.stringMatching(/larger than/)]);
    await settleService(services, { ...spec, state: { sizeMb: 64 } });
    expect(await found()).toMatchObject({ power: 'running' });
  } finally {
    await services.removeService(spec.id);
  }
}
