import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { serve } from '@/lib/core/api/kernel';
import { authenticate } from '@/lib/people/identity/authenticate';
import { endpoints } from '@/lib/platform/endpoints';
import { healthz } from '@/lib/platform/health';
import { createInstance } from './instances';

/*
 * The API in a separate process, with the same app and adapter as the web process and one more endpoint. Reports its
 * port.
 */
const app = serve([...endpoints, createInstance], authenticate);
app.get('/healthz', healthz);
const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ port });
});
process.once('disconnect', () => process.exit());
