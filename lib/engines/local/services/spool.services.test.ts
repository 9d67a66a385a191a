import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually, settleService, shellService } from '../../contract/service-subject';
import { serviceDirectory } from './service-record';
import { testServicesHere } from './test-subject';

const LINES = 40_000;
const BLOCK_BYTES = 512;

await testServicesHere(({ host, subject }) => {
  it('lines of a front are read once each, also when its supervisor is killed, and what was read takes no room', {
    timeout: 180_000,
  }, async () => {
    const { services } = subject;
    const text = 'x'.repeat(300);
    const script = `i=0; while [ $i -lt ${LINES} ]; do echo "$i ${text}"; i=$((i+1)); [ $((i % 1000)) -ne 0 ] || sleep 0.05; done; while true; do sleep 1000; done`;
    const spec = shellService(subject, script, { front: true, stopSeconds: 0.2 });
    try {
      await settleService(services, spec);
      const found: number[] = [];
      let cursor: string | null = null;
      const read = async () => {
        const page = await services.readLog(spec.id, cursor, 5000);
        cursor = page.cursor;
        found.push(
          ...page.lines.flatMap(({ stream, message }) => (stream === 'stdout' ? [parseInt(message, 10)] : [])),
        );
        return found.length;
      };
      for (let kills = 0; kills < 5; kills += 1) {
        subject.killSupervisor(spec.id);
        await settleService(services, spec);
        const before = await read();
        await eventually(async () => (await read()) > before || found.length >= LINES);
      }
      // Reading yields to everything else on the host.
      await eventually(async () => (await read()) >= LINES, 90_000);
      expect(found).toEqual(Array.from({ length: LINES }, (_, index) => index));
      const spool = () => statSync(join(serviceDirectory(host, spec.id), 'spool'));
      expect(spool().size).toBeGreaterThan(LINES * text.length);
      expect(spool().blocks * BLOCK_BYTES).toBeLessThan(2 * 1024 ** 2);
      // A service that starts anew begins with an empty one.
      subject.kill(spec.id);
      await eventually(async () => (await read()) >= LINES + 1000);
      expect(spool().size).toBeLessThan(LINES * text.length);
    } finally {
      await services.removeService(spec.id);
    }
  });

  it('no line of a front is lost after it was killed together with its supervisor', { timeout: 120_000 }, async () => {
    const { services } = subject;
    // It overwrites its output from the beginning, as HAProxy does.
    const script =
      'exec 1<>/proc/self/fd/1; for i in $(seq 100); do echo "line $i"; done; while true; do sleep 1000; done';
    const spec = shellService(subject, script, { front: true, stopSeconds: 0.2 });
    const wanted = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    try {
      await settleService(services, spec);
      const read = async () =>
        (await services.readLog(spec.id, null, 5000)).lines.flatMap(({ stream, message }) =>
          stream === 'stdout' ? [message] : [],
        );
      await eventually(async () => (await read()).length >= 100);
      subject.killSupervisor(spec.id);
      subject.kill(spec.id);
      await settleService(services, spec);
      await eventually(async () => (await read()).length >= 200);
      expect(await read()).toEqual([...wanted, ...wanted]);
    } finally {
      await services.removeService(spec.id);
    }
  });
});
