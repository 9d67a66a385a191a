import { vi } from 'vitest';
import { newId } from '@/lib/core/db/id';
import type { NetworkEngine } from '@/lib/domains/network/engine';
import type { ProgramRef, ServiceEngine, ServiceSpec } from '@/lib/hosts/services/engine';

/** A service engine under test, with facilities beyond the interface. */
export type ServiceSubject = {
  services: ServiceEngine;
  network: NetworkEngine;
  /** A shell of the catalogue: `argv` takes a script as its last argument. */
  shell: { program: ProgramRef; argv: readonly string[] };
  /** An engine object without memory, as after a restart of the worker. */
  restarted(): ServiceEngine;
  /** Kills all processes of a service from outside. */
  kill(id: string): void;
  /** Kills a service's supervisor, and not the service. */
  killSupervisor(id: string): void;
  /** Everything that the engine has left on the host; empty after all removals. */
  leftovers(): Promise<string[]>;
};

/** A service that runs a script, healthy as soon as its shell answers; tests override what they are about. */
export function shellService(
  { shell }: Pick<ServiceSubject, 'shell'>,
  script: string,
  change: Partial<ServiceSpec> = {},
): ServiceSpec {
  return {
    id: newId(),
    program: shell.program,
    argv: [...shell.argv, script],
    environment: {},
    files: [],
    state: null,
    port: null,
    limits: { cpuMillis: 1000, memoryMb: 64, processes: 32, openFiles: 256 },
    health: { kind: 'command', argv: [...shell.argv, 'true'] },
    restart: 'always',
    reload: { kind: 'restart' },
    power: 'running',
    stopSeconds: 1,
    ...change,
  };
}

/** Polls until the condition holds. */
export const eventually = (condition: () => Promise<boolean>, withinMs = 30_000) =>
  vi.waitUntil(condition, { timeout: withinMs, interval: 50 });

/** Brings a service to the state of its spec, and waits for it. */
export const settleService = (services: ServiceEngine, spec: ServiceSpec, withinMs?: number) =>
  eventually(async () => (await services.ensureService(spec)).settled, withinMs);
