import { newId } from '@/lib/core/db/id';
import type { ServiceSpec } from '@/lib/hosts/services/engine';

/** A service of a program known to `MemoryServices`; tests override what they are about. */
export const serverSpec = (change: Partial<ServiceSpec> = {}): ServiceSpec => ({
  id: newId(),
  program: { name: 'server', version: '1' },
  argv: ['/bin/server'],
  environment: {},
  files: [],
  state: null,
  port: null,
  limits: { cpuMillis: 1000, memoryMb: 64, processes: 32, openFiles: 256 },
  health: { kind: 'command', argv: ['/bin/true'] },
  restart: 'always',
  reload: { kind: 'restart' },
  power: 'running',
  ...change,
});
