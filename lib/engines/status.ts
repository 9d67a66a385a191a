import { z } from 'zod';

/** A missing program of an engine, with its Debian package. */
export type MissingProgram = { program: string; package: string };

/** The limits on processes that run for a tenant. */
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

/** `refused`: a process that needs the limit cannot run on this host. */
export const limitLevels = ['enforced', 'weaker', 'refused'] as const;

/** How a limit is enforced on this host: the mechanism, its weakness, or why it is impossible. */
export const limitReport = z.object({ limit: z.enum(limitNames), level: z.enum(limitLevels), how: z.string() });
export type LimitReport = z.output<typeof limitReport>;

/** The status of an engine on this host, as shown by `/readyz` and the back office. */
export type EngineStatus = {
  engine: 'compute' | 'network' | 'storage' | 'images' | 'services' | 'functions';
  ok: boolean;
  missing: MissingProgram[];
  /** One or two sentences: what works, what is limited, how to fix it. */
  message: string;
  /** For engines that run tenants' processes. */
  limits?: LimitReport[];
};
