import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import next from 'next';
import { ApiError } from '@/lib/core/api/errors';
import { closePool } from '@/lib/core/db/pool';
import { findUpgrade } from '@/lib/core/net/upgrades';
import { serveConsoles } from '@/lib/domains/compute/console-upgrade';
import { serveLokiTail } from '@/lib/domains/observability/logs/tail-upgrade';
import { serveSso } from '@/lib/people/oidc/serve';
import { app } from '@/lib/platform/app';
import { isLargeUpload } from '@/lib/platform/uploads';
import { settings } from '@/lib/settings';
import { announceStop, stoppingSignal } from '@/lib/stopping';
import { ConnectionLimit } from './connection-limit';
import { compileAhead, compileFirstPages, expectNoStaticPaths } from './development-pages';
import { backofficeUrl, isAcmeChallenge, isApi, isBackoffice, isHealth, isSso, plainPath } from './paths';
import { serveBuiltFiles } from './static-files';
import { runSupervised } from './supervised';
import { listen, malformed, refuse, type ServerLimits, type Surface } from './web-server';

const { host, port, baseUrl, nodeEnv, backofficeListen, connectionsPerAddress, trustedProxies } = settings();
const dev = nodeEnv === 'development';

// next-auth takes its own origin from here, and reads it once.
process.env.NEXTAUTH_URL = baseUrl;

serveConsoles();
serveLokiTail((request) => app.fetch(request));
if (dev) expectNoStaticPaths();

// Next adds an upgrade listener to the server that it is given; an unused server keeps it away from our paths.
const nextUpgrades = createServer();
const pages = next({ dev, dir: process.cwd(), hostname: host, port, httpServer: nextUpgrades });
const prepared = pages.prepare();

const serveApi = getRequestListener(app.fetch, {
  // Keeps the standard Request and Response for Next; the API has `LightResponse`.
  overrideGlobalObjects: false,
  errorHandler: () => Response.json(malformed.body(new Date()), { status: malformed.status }),
});

const serveOidc = serveSso();

/** In development Next serves the API too: it mounts the same app, and reloads it on every change. */
const isDirect = (path: string) => isHealth(path) || isAcmeChallenge(path) || (isApi(path) && !dev);

/** In development Next builds on demand. */
const serveBuilt = dev ? () => false : serveBuiltFiles();

let ahead: ReturnType<typeof compileAhead> | undefined;

/** Serves the paths that `serves` accepts. */
function surface(serves: (path: string) => boolean): Surface {
  const servePage = pages.getRequestHandler();
  return {
    async request(request, response) {
      ahead?.notice(request);
      const path = plainPath(request.url ?? '');
      if (path === undefined) refuse(response, malformed);
      else if (!serves(path)) refuse(response, new ApiError('RESOURCE_NOT_FOUND', 'No such address.'));
      else if (isDirect(path)) await serveApi(request, response);
      else if (isSso(path)) await serveOidc(request, response);
      else if (serveBuilt(request, response)) return;
      else await servePage(request, response);
    },
    async upgrade(request, socket, head) {
      const path = plainPath(request.url ?? '');
      const handler = path !== undefined && serves(path) ? findUpgrade(path) : undefined;
      if (handler) await handler(request, socket, head);
      else if (!dev || !nextUpgrades.emit('upgrade', request, socket, head)) {
        socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      }
    },
  };
}

/**
 * The back office on its own address: its API starts at the root, and `/` redirects to `/admin`, because the client
 * router uses the address in the browser.
 */
function atRoot(whole: Surface): Surface {
  return {
    ...whole,
    async request(request, response) {
      if (request.url === '/') {
        response.writeHead(307, { Location: '/admin' }).end();
        return;
      }
      request.url = backofficeUrl(request.url ?? '');
      return whole.request(request, response);
    },
  };
}

const limits: ServerLimits = {
  body: { ms: 30_000, isUpload: ({ method, url }) => isLargeUpload(method ?? '', plainPath(url ?? '') ?? '') },
  // Local users have better ways to exhaust this machine, and an undeclared proxy is most often local.
  connections: new ConnectionLimit(connectionsPerAddress, [...trustedProxies, '127.0.0.0/8', '::1']),
  trustedProxies,
};

async function begin() {
  await prepared;
  const everything = surface(() => true);
  const stops = [
    await listen(backofficeListen ? surface((path) => !isBackoffice(path)) : everything, { host, port }, limits),
    ...(backofficeListen ? [await listen(atRoot(everything), backofficeListen, limits)] : []),
  ];
  if (dev) {
    await compileFirstPages(baseUrl, stoppingSignal());
    ahead = compileAhead(baseUrl, stoppingSignal());
  }
  return {
    async stop() {
      announceStop();
      await Promise.all(stops.map((stop) => stop()));
      await closePool();
    },
  };
}

await runSupervised(begin);
