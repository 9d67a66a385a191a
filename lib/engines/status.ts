import { z } from 'zod';

/** A program that an engine needs and did not find, with the Debian package that has it. */
export type MissingProgram = { program: string; package: string };

/** What a process that runs for a tenant can be limited in. */
export const limitNames = [
  'user_id',
  'namespaces',
  'system_calls',
  'network',
  'memory',
  'cpu',
  'processes',
  'open_files',
  'secret_files',
  'folder_size',
  'disk_bandwidth',
] as const;
export type LimitName = (typeof limitNames)[number];

/** `refused`: a process that needs the limit does not run on this host. */
export const limitLevels = ['enforced', 'weaker', 'refused'] as const;

/** How one limit is kept on this host: by what, how much weaker, or why not at all. */
export const limitReport = z.object({ limit: z.enum(limitNames), level: z.enum(limitLevels), how: z.string() });
export type LimitReport = z.output<typeof limitReport>;

/** What one engine can do on this host, as `/readyz` and the back office show it. */
export type EngineStatus = {
  engine: 'compute' | 'network' | 'storage' | 'images' | 'services';
  ok: boolean;
  missing: MissingProgram[];
  /** One or two sentences: what works, what is limited, what to do about it. */
  message: string;
  /** Of an engine that runs processes of tenants. */
  limits?: LimitReport[];
};
