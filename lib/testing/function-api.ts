import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { serve } from '@/lib/core/api/kernel';
import { replaceEngines } from '@/lib/engines/engines';
import { authenticate } from '@/lib/people/identity/authenticate';
import { endpoints } from '@/lib/platform/endpoints';
import { ownCell } from '@/lib/settings';
import { MemoryEngines } from './memory-engines';

/* The API in a process of its own at API_PORT, for tests that kill it. Its functions run at POOL_SOCKET. */
const engines = new MemoryEngines();
const { POOL_SOCKET = '', API_PORT } = process.env;
engines.functions.poolSocket = () => POOL_SOCKET;
replaceEngines(engines, ownCell());
const app = serve(endpoints, authenticate);
createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false })).listen(Number(API_PORT), '127.0.0.1');
