import { join } from 'node:path';
import { z } from 'zod';
import type { ServiceSpec } from '@/lib/hosts/services/engine';
import { type Host, shortHash } from '../host';
import { edgeNamespace } from '../network/names';
import { readRecord, readRecords, recordFile } from '../record';

const argument = z
  .string()
  .max(4096)
  .regex(/^[^\0]*$/);
const relativePath = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/)
  .refine((path) => !path.split('/').some((part) => part === '.' || part === '..'), 'must stay inside its folder');
const signalName = z.string().regex(/^SIG[A-Z0-9]{2,10}$/);
const portNumber = z.int().min(1).max(65_535);

const health = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('tcp'), port: portNumber }),
  z.object({ kind: z.literal('http'), port: portNumber, path: z.string().regex(/^\/[!-~]*$/) }),
  z.object({ kind: z.literal('command'), argv: z.array(argument).min(1) }),
  z.object({ kind: z.literal('socket'), path: relativePath }),
]);

const reload = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('signal'), signal: signalName }),
  z.object({ kind: z.literal('command'), argv: z.array(argument).min(1) }),
  z.object({ kind: z.literal('restart') }),
]);

/** The front has a certificate for each host. */
const MOST_FILES = 5_000;

/** Checked as strictly as what is read from disk: its values become the sandbox's configuration. */
export const serviceSpec: z.ZodType<ServiceSpec> = z.object({
  id: z.uuid(),
  program: z.object({
    name: z.string().regex(/^[a-z0-9-]{1,40}$/),
    version: z.string().regex(/^[0-9A-Za-z.+~-]{1,60}$/),
  }),
  argv: z.array(argument).min(1).max(200),
  environment: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/), argument),
  files: z
    .array(
      z.object({
        path: relativePath,
        content: z.string().max(4 * 1024 ** 2),
        secret: z.boolean(),
        executable: z.boolean().optional(),
        live: z.boolean().optional(),
      }),
    )
    .max(MOST_FILES),
  state: z.object({ sizeMb: z.int().min(8) }).nullable(),
  port: z
    .object({
      id: z.uuid(),
      networkId: z.uuid(),
      mac: z.mac(),
      ip: z.ipv4(),
      prefixLength: z.int().min(1).max(32),
      gatewayIp: z.ipv4(),
      dnsServers: z.array(z.ipv4()),
      sharedAddresses: z.array(z.ipv4()),
      moves: z.int().optional(),
    })
    .nullable(),
  egress: z.object({ owner: z.string() }).optional(),
  front: z.boolean().optional(),
  limits: z.object({
    cpuMillis: z.int().min(10),
    memoryMb: z.int().min(4),
    processes: z.int().min(2),
    openFiles: z.int().min(16),
    diskMbPerSecond: z.int().min(1).optional(),
  }),
  health,
  restart: z.enum(['always', 'never']),
  reload,
  power: z.enum(['running', 'stopped']),
  stopSignal: signalName.optional(),
  stopSeconds: z.number().min(0).max(600).optional(),
});

/** What the engine keeps of a service: all of its spec but the content of its files. */
const serviceRecord = z.object({
  id: z.uuid(),
  uid: z.int(),
  program: z.object({ name: z.string(), version: z.string() }),
  port: z.object({ id: z.uuid(), networkId: z.uuid(), ip: z.ipv4() }).nullable(),
  state: z.object({ sizeMb: z.int() }).nullable(),
  health,
  power: z.enum(['running', 'stopped']),
  /** What it was promised; 0 in records of earlier releases, until it is ensured again. */
  memoryMb: z.int().default(0),
  cpuMillis: z.int().default(0),
  /** Files that its domain brings into the running process; removing one needs no reload either. */
  liveFiles: z.array(z.string()).default([]),
});

export type ServiceRecord = z.infer<typeof serviceRecord>;

export const servicesDirectory = (host: Host) => join(host.directory, 'services');

/** Beside the service's folder and not in it, as with machines. */
export const serviceFile = (host: Host, id: string) => recordFile(servicesDirectory(host), id);
export const serviceDirectory = (host: Host, id: string) => join(servicesDirectory(host), id);
export const findService = (host: Host, id: string) => readRecord(serviceFile(host, id), serviceRecord);
export const allServices = (host: Host) => readRecords(servicesDirectory(host), serviceRecord);
export const userIdsFile = (host: Host) => join(servicesDirectory(host), 'users.json');

/** The folder of the Unix sockets that lead into tenant networks; `/run/entries` inside a front. */
export const entriesFolder = (host: Host) => join(host.sockets, 'entries');

/** The folder of a service's Unix sockets, under a short name; `/run/service` inside. */
export const serviceSockets = (host: Host, id: string) => join(host.sockets, shortHash(id, 16));

/** Where the way out of a service leads, beyond its reach. */
export const egressSocket = (host: Host, id: string) => join(host.sockets, `${shortHash(id, 16)}.egress`);

/** Not the prefix of the network engine, which removes what it does not know. */
export const serviceNamespace = (host: Host, id: string) => `svc-${edgeNamespace(host)}-${shortHash(id, 12)}`;
/** Every namespace of this engine's services begins with it. */
export const serviceNamespacePrefix = (host: Host) => `svc-${edgeNamespace(host)}-`;
