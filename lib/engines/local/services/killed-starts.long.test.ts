import { describe, expect, test } from 'vitest';
import { eventually } from '../../contract/service-subject';
import { shellServers } from './shell-servers';
import { testServicesHere } from './test-subject';

const SERVICES = 4;
const KILLS = 120;
/** Longer than a start takes, so that services are killed at every point of it. */
const LONGEST_MS = 300;

describe('services that are killed while they start', async () => {
  await testServicesHere(({ host, subject }) => {
    test('start again at once, wherever the kill met them', async () => {
      const { services } = subject;
      const servers = shellServers(host, subject);
      await Promise.all(
        Array.from({ length: SERVICES }, async () => {
          const spec = servers.server();
          for (let kill = 0; kill < KILLS; kill++) {
            await services.ensureService(spec);
            // Not a wait for anything: the kill is to meet a start anywhere.
            await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS));
            await (kill % 3 === 0 ? services.stopService(spec.id) : services.killService(spec.id));
            await eventually(async () => (await services.ensureService(spec)).settled);
          }
          await services.removeService(spec.id);
        }),
      );
      expect(await subject.leftovers()).toEqual([]);
    }, 900_000);
  });
});
