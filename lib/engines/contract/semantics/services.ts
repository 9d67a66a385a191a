import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@/lib/core/db/id';
import type { ObservedService, ServiceEngine, ServiceSpec } from '@/lib/hosts/services/engine';
import { readBeforeRemoval } from '../../last-lines';
import { eventually, settleService } from '../service-subject';

/** Test facilities for the semantics, beyond the interface. */
export type SemanticsSubject = {
  services: ServiceEngine;
  /** An engine object without memory, as after a restart of the worker. */
  restarted(): ServiceEngine;
  /** A server that is ready as soon as it runs, and reloads changed files on a signal. */
  server(): ServiceSpec;
  /** A server that is not ready before `makeReady`. */
  slowServer(): ServiceSpec;
  makeReady(id: string): Promise<void>;
  /** A task that succeeds immediately. */
  task(): ServiceSpec;
  /** Makes a running server write a log line. */
  say(id: string, line: string): Promise<void>;
  /** Kills all processes of a service from outside. */
  kill(id: string): Promise<void>;
  /** Removes the engine's record of a service, as a damaged disk would. */
  forget(id: string): Promise<void>;
  /** Everything that the engine has left; empty after all removals. */
  leftovers(): Promise<string[]>;
};

const SERVICE_MS = 60_000;
const FETCH_MS = 240_000;

/** The contract of every service engine, whatever runs the services; another suite covers isolation. */
export function serviceSemantics(name: string, prepare: () => Promise<SemanticsSubject>): void {
  describe(`semantics of services: ${name}`, { timeout: SERVICE_MS }, () => {
    let subject: SemanticsSubject;
    const made = new Set<string>();

    const tracked = (spec: ServiceSpec, change: Partial<ServiceSpec> = {}): ServiceSpec => {
      made.add(spec.id);
      return { ...spec, ...change };
    };
    const server = (change: Partial<ServiceSpec> = {}) => tracked(subject.server(), change);
    const settled = (spec: ServiceSpec, withinMs?: number) => settleService(subject.services, spec, withinMs);
    const find = async (id: string) => (await subject.services.observeServices()).find((service) => service.id === id);
    const observe = async (id: string): Promise<ObservedService> => {
      const found = await find(id);
      if (!found) throw new Error('The engine does not know the service.');
      return found;
    };
    const said = async (id: string, cursor: string | null = null) =>
      (await subject.services.readLog(id, cursor, 1000)).lines.map(({ message }) => message);

    beforeAll(async () => {
      subject = await prepare();
      await settled(tracked(subject.task()), FETCH_MS);
    }, FETCH_MS);

    afterEach(async () => {
      for (const id of made) await subject.services.removeService(id);
      made.clear();
    });

    afterAll(async () => {
      expect(await subject.leftovers()).toEqual([]);
    });

    it('a service in its desired state is left alone, even after the engine restarts', async () => {
      const spec = server();
      await settled(spec);
      const before = await observe(spec.id);
      expect(before).toMatchObject({ power: 'running', starts: 1, stray: false, lastExit: null });
      expect(await subject.services.ensureService(spec)).toEqual({ settled: true });
      expect(await subject.restarted().ensureService(spec)).toEqual({ settled: true });
      expect(await observe(spec.id)).toEqual(before);
    });

    it('a service that is not ready says why, and when to ask again', async () => {
      const spec = tracked(subject.slowServer());
      await eventually(async () => {
        await subject.services.ensureService(spec);
        return (await find(spec.id))?.power === 'running';
      });
      const answer = await subject.services.ensureService(spec);
      expect(answer).toEqual({ settled: false, waits_for: expect.any(String), again_ms: expect.any(Number) });
      expect(await subject.services.isHealthy(spec.id)).toBe(false);
      await subject.makeReady(spec.id);
      await settled(spec);
      expect(await subject.services.isHealthy(spec.id)).toBe(true);
    });

    it('a killed service is restarted, and its end is reported', async () => {
      const spec = server();
      await settled(spec);
      await subject.kill(spec.id);
      await eventually(async () => {
        const now = await observe(spec.id);
        return now.starts === 2 && now.power === 'running';
      });
      expect((await observe(spec.id)).lastExit).toMatchObject({ code: null, signal: 'SIGKILL', outOfMemory: false });
    });

    it('a finished task is settled, and is not started again', async () => {
      const spec = tracked(subject.task());
      await settled(spec);
      // Its check may pass just before it ends.
      await eventually(async () => (await observe(spec.id)).lastExit !== null);
      expect(await observe(spec.id)).toMatchObject({
        power: 'stopped',
        starts: 1,
        lastExit: { code: 0, signal: null },
      });
      await settled(spec);
      expect((await observe(spec.id)).starts).toBe(1);
    });

    it('a stopped service is known, uses nothing, and can be started again', async () => {
      const spec = server();
      await settled(spec);
      expect(await subject.services.sampleService(spec.id)).toMatchObject({
        processes: expect.any(Number),
        state: null,
      });
      await settled({ ...spec, power: 'stopped' });
      expect(await observe(spec.id)).toMatchObject({ power: 'stopped', stray: false, startedAt: null });
      expect(await subject.services.sampleService(spec.id)).toBeNull();
      expect(await subject.services.isHealthy(spec.id)).toBe(false);
      await expect(subject.services.runInside(spec.id, ['true'])).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await settled(spec);
      expect((await observe(spec.id)).power).toBe('running');
    });

    it('changed files reach a running service; changed limits restart it', async () => {
      const spec = server({ files: [{ path: 'word', content: 'first', secret: false }] });
      await settled(spec);
      const before = await observe(spec.id);
      const reloaded = { ...spec, files: [{ path: 'word', content: 'second', secret: false }] };
      await settled(reloaded);
      expect(await observe(spec.id)).toEqual(before);
      await settled({ ...reloaded, limits: { ...spec.limits, memoryMb: spec.limits.memoryMb * 2 } });
      expect((await observe(spec.id)).startedAt).not.toEqual(before.startedAt);
    });

    it('a log continues at its cursor, and an invented cursor is refused', async () => {
      const spec = server();
      await settled(spec);
      await subject.say(spec.id, 'one');
      await eventually(async () => (await said(spec.id)).includes('one'));
      const { cursor, dropped } = await subject.services.readLog(spec.id, null, 1000);
      expect(dropped).toBe(0);
      expect(await said(spec.id, cursor)).toEqual([]);
      await subject.say(spec.id, 'two');
      await eventually(async () => (await said(spec.id, cursor)).length > 0);
      expect(await said(spec.id, cursor)).toEqual(['two']);
      await expect(subject.services.readLog(spec.id, 'elsewhere', 10)).rejects.toMatchObject({ code: 'INVALID' });
    });

    it('a log is read to its end before a removal', async () => {
      const spec = server();
      await settled(spec);
      await subject.say(spec.id, 'the last line');
      await eventually(async () => (await said(spec.id)).includes('the last line'));
      let last: string[] = [];
      const end = readBeforeRemoval(async (id) => {
        last = await said(id);
      });
      await subject.services.removeService(spec.id);
      end();
      expect(last).toContain('the last line');
    });

    it('a state folder grows and never shrinks', async () => {
      const spec = server({ state: { sizeMb: 16 } });
      await settled(spec);
      await settled({ ...spec, state: { sizeMb: 64 } });
      const sample = await subject.services.sampleService(spec.id);
      expect(sample?.state?.totalBytes).toBeGreaterThan(32 * 1024 ** 2);
      const smaller = subject.services.ensureService({ ...spec, state: { sizeMb: 16 } });
      await expect(smaller).rejects.toMatchObject({ code: 'INVALID' });
    });

    it('a service without a record is a stray, and can still be removed', async () => {
      const spec = server();
      await settled(spec);
      await subject.forget(spec.id);
      expect(await observe(spec.id)).toMatchObject({ power: 'running', stray: true });
      await subject.services.removeService(spec.id);
      expect(await find(spec.id)).toBeUndefined();
    });

    it('a service stopped without its spec keeps its state folder, and can be started again', async () => {
      const spec = server({ state: { sizeMb: 16 } });
      await settled(spec);
      await subject.services.stopService(spec.id);
      await subject.services.stopService(spec.id);
      await subject.services.stopService(newId());
      expect(await observe(spec.id)).toMatchObject({ power: 'stopped', stray: false });
      await settled(spec);
      expect(await observe(spec.id)).toMatchObject({ power: 'running', starts: 1 });
    });

    it('a removed service is gone, and removing it again succeeds', async () => {
      const spec = server();
      await settled(spec);
      await subject.services.removeService(spec.id);
      await subject.services.removeService(spec.id);
      await subject.services.removeService(newId());
      expect(await find(spec.id)).toBeUndefined();
    });

    it('a spec that can never work is refused and leaves nothing', async () => {
      const [outside, unknown] = [server(), server()];
      const file = { path: '../passwd', content: '', secret: false };
      const refused = [
        subject.services.ensureService({ ...outside, files: [file] }),
        subject.services.ensureService({ ...unknown, program: { name: 'nothing', version: '1' } }),
      ];
      for (const call of refused) await expect(call).rejects.toMatchObject({ code: 'INVALID' });
      expect(await subject.services.observeServices()).toEqual([]);
    });
  });
}
