import { vi } from 'vitest';
import { newId } from '@/lib/core/db/id';
import type { NetworkEngine } from '@/lib/domains/network/engine';
import type { ProgramRef, ServiceEngine, ServiceSpec } from '@/lib/hosts/services/engine';

/** How a contract test gets its engine of services, and what it may do besides the interface. */
export type ServiceSubject = {
  services: ServiceEngine;
  network: NetworkEngine;
  /** A shell of the catalogue: `argv` takes a script as its last argument. */
  shell: { program: ProgramRef; argv: readonly string[] };
  /** An engine object that remembers nothing, as after a restart of the worker. */
  restarted(): ServiceEngine;
  /** Kills all processes of a service, as nobody inside could. */
  kill(id: string): void;
  /** Kills what keeps a service running, and not the service. */
  killSupervisor(id: string): void;
  /** What the engine has left on the host. Empty when all is removed. */
  leftovers(): Promise<string[]>;
};

/** A service that runs a script, healthy as soon as its shell answers; what a test is about it sets itself. */
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

/** Asks until the condition holds. */
export const eventually = (condition: () => Promise<boolean>, withinMs = 30_000) =>
  vi.waitUntil(condition, { timeout: withinMs, interval: 50 });

/** Makes a service what its spec says, and waits until it is. */
export const settleService = (services: ServiceEngine, spec: ServiceSpec, withinMs?: number) =>
  eventually(async () => (await services.ensureService(spec)).settled, withinMs);
