import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownNamespaces } from '../confinement';
import { run } from '../exec';
import type { Host } from '../host';
import { PYTHON } from '../programs';
import { serviceNetwork } from './cable';
import { runtimeCommand } from './sandbox';
import { type ServiceRecord, serviceSockets } from './service-record';

const PROBE = join(dirname(fileURLToPath(import.meta.url)), 'probe.py');
const TIMEOUT_MS = 5_000;

/** Asks a service what its spec says must be true; it is asked where its callers are, and believed in nothing else. */
export async function answers(host: Host, record: ServiceRecord): Promise<boolean> {
  const command = await question(host, record);
  return run(command, { timeoutMs: TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
}

async function question(host: Host, { id, health, port }: ServiceRecord): Promise<string[]> {
  const probe = [PYTHON, '-I', '-S', PROBE];
  switch (health.kind) {
    case 'command':
      return [...runtimeCommand(host), 'exec', id, ...health.argv];
    case 'socket':
      return [...probe, 'socket', join(serviceSockets(host, id), health.path)];
    case 'tcp':
      return [...(await networkOf(host, id, port)), ...probe, 'tcp', port?.ip ?? '127.0.0.1', String(health.port)];
    case 'http':
      return [
        ...(await networkOf(host, id, port)),
        ...probe,
        'http',
        port?.ip ?? '127.0.0.1',
        String(health.port),
        health.path,
      ];
  }
}

/** A service without a port can only be asked by a command or a socket; any other question fails in an empty network. */
const networkOf = (host: Host, id: string, port: ServiceRecord['port']) =>
  port ? serviceNetwork(host, id) : Promise.resolve(ownNamespaces);
