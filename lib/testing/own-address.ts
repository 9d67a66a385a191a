import { once } from 'node:events';
import { createServer } from 'node:http';
import { listenOnLoopback } from './loopback';

/*
 * Import this before anything else: it chooses a port for the web server of a test file and names it in BASE_URL, which
 * other imports read.
 */
const probe = createServer();
export const ownPort = await listenOnLoopback(probe);
probe.close();
await once(probe, 'close');

export const ownUrl = `http://127.0.0.1:${ownPort}`;
process.env.BASE_URL = ownUrl;
