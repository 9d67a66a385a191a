import { readdirSync, readFileSync, statSync } from 'node:fs';
import {
  Agent,
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type RequestListener,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { newId } from '@/lib/core/db/id';
import { execute, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { Route } from '@/lib/domains/gateway/schema';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { replaceEngines } from '@/lib/engines/engines';
import { PROGRAMS } from '@/lib/engines/local/catalogue/catalogue';
import { openLocalEngine } from '@/lib/engines/local/local-engine';
import { endProcess, findProcesses } from '@/lib/engines/local/processes';
import { LocalServices } from '@/lib/engines/local/services/local-services';
import { findSandbox, processesOf } from '@/lib/engines/local/services/sandbox';
import { filesFolder, removeVolatile } from '@/lib/engines/local/services/volatile';
import { waitFor } from '@/lib/engines/local/turns';
import type { WantedService } from '@/lib/hosts/services/engine';
import { endpoints } from '@/lib/platform/endpoints';
import { forgetSettings, ownCell, settings } from '@/lib/settings';
import { host, machineAt, options, shell } from './balancer-world';
import { ownHost } from './domains/gateway';
import { runGatewayAgent } from './gateway-agent';
import { createCell } from './hosts';
import { freePort } from './loopback';
import { idOf, launch } from './machines';
import { api, createProject, type TestProject } from './world';

export { balancerTrouble as gatewayTrouble } from './balancer-world';

/** Gives the gateway of this process free ports. */
export async function takeFreeGatewayPorts(): Promise<void> {
  process.env.GATEWAY_HTTP_PORT = String(await freePort());
  process.env.GATEWAY_HTTPS_PORT = String(await freePort());
  forgetSettings();
}

export type GatewayAnswer = { status: number; headers: IncomingHttpHeaders; text: string };

/**
 * The gateway as a real process. Its backends are servers of this test on loopback, which the test's settings allow, and
 * web servers on the networks of projects. What the worker and the agent do is done in this process, unless the test starts
 * `gateway-agent-process.ts` (`isApart`).
 */
export async function startGatewayWorld({ isApart = false } = {}) {
  const services = new LocalServices(host, [...PROGRAMS, shell]);
  const call = api(endpoints);
  const cell = ownCell();
  const machines = new Map<string, WantedService>();
  replaceEngines({ ...openLocalEngine(options), services });
  await createCell(cell, { memory_mb: 10_000 });
  const running = isApart ? undefined : runGatewayAgent(() => machines.values());
  const ends: (() => Promise<unknown>)[] = [];
  ends.push(async () => running?.stop());

  const newAgent = () => new Agent({ keepAlive: true, maxSockets: 16 });
  let agent = newAgent();
  ends.push(async () => agent.destroy());

  const here = () => {
    if (!running) throw new Error('the agent is a process of its own');
    return running;
  };
  const token = (project: TestProject) => ({ token: project.users.member.token });
  const read = async (id: string, project: TestProject) =>
    (await call('GET', `/gateway/routes/${id}`, token(project))).body as Route;

  /** Starts an HTTP server on loopback. @returns its origin */
  async function origin(listener: RequestListener): Promise<string> {
    const server = createHttpServer(listener).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    ends.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  return {
    services,
    call,
    cell,
    get ingress() {
      return here().ingress;
    },
    token,
    read,
    origin,

    /** A worker that knows nothing of what the last one did. */
    restartWorker: () => here().restart(),

    async project(name: string): Promise<TestProject> {
      const project = await createProject(name);
      await ensureProjectNetworking(project.id);
      return project;
    },

    /** A server that answers with its name. */
    named: (name: string) => origin((request, response) => response.end(`${name} ${request.url}`)),

    /** An instance with a web server at port 8080 that answers with its name. @returns its id */
    async machine(project: TestProject, name: string): Promise<string> {
      const id = idOf(await launch(call, project, { name }));
      await execute(sql`
        WITH port AS (UPDATE ports SET attachment = 'veth' WHERE device_id = ${id}::uuid)
        UPDATE routers SET cell_id = ${cell}::text, revision = revision + 1 WHERE project_id = ${project.id}::uuid`);
      const port = await queryRow<{ id: string; network_id: string; mac: string; ip: string }>(
        sql`SELECT id, network_id, mac, host(ip) AS ip FROM ports WHERE device_id = ${id}::uuid`,
      );
      const argv = ['/bin/busybox', 'httpd', '-f', '-p', '8080', '-h', '/etc/service/www'];
      machines.set(id, machineAt(port, { id: newId(), name, argv }));
      return id;
    },

    /** Lets everybody reach the web servers of the project's instances, or nobody any more. */
    async open(project: TestProject, isOpen = true): Promise<void> {
      const groups = (await call('GET', '/network/security-groups', token(project))).body as {
        id: string;
        is_default: boolean;
        rules: { id: string; direction: string }[];
      }[];
      const group = groups.find(({ is_default }) => is_default);
      for (const rule of group?.rules ?? []) {
        if (rule.direction === 'ingress')
          await call('DELETE', `/network/security-groups/rules/${rule.id}`, token(project));
      }
      if (!isOpen) return;
      const body = { direction: 'ingress', protocol: 'tcp', port_range_min: 8080, cidr: '0.0.0.0/0' };
      const made = await call('POST', `/network/security-groups/${group?.id}/rules`, { ...token(project), body });
      if (made.status !== 201) throw new Error(made.text);
    },

    /** Creates or replaces a route. */
    async apply(project: TestProject, body: object): Promise<Route> {
      const answer = await call('POST', '/gateway/routes', {
        ...token(project),
        body: { name: 'shop', host: await ownHost(project), ...body },
      });
      if (answer.status > 201) throw new Error(answer.text);
      return answer.body as Route;
    },

    async idOf(project: TestProject, name: string): Promise<string> {
      const { body } = await call('GET', `/gateway/routes?name=${name}`, token(project));
      return (body as Route[])[0]?.id ?? '';
    },

    async until(
      id: string,
      project: TestProject,
      isThere: (route: Route) => boolean,
      timeoutMs = 40_000,
    ): Promise<Route> {
      let route = await read(id, project);
      const look = async () => {
        route = await read(id, project);
        return isThere(route);
      };
      const found = await waitFor(look, { timeoutMs, everyMs: 20 });
      // A connection from before a reload gets one more answer from the process before.
      agent.destroy();
      agent = newAgent();
      if (!found) throw new Error(`the route is not there in time: ${JSON.stringify(route)}`);
      return route;
    },

    /** Sends a request to the gateway. */
    get(
      name: string,
      path = '/',
      options: { method?: string; headers?: Record<string, string>; body?: string } = {},
    ): Promise<GatewayAnswer> {
      return new Promise((resolve, reject) => {
        const { gatewayHttpPort } = settings();
        const { method = 'GET', headers = {}, body } = options;
        const sent = httpRequest(
          { host: '127.0.0.1', port: gatewayHttpPort, path, method, agent, headers: { host: name, ...headers } },
          (response) => {
            let text = '';
            response.setEncoding('utf8').on('data', (part: string) => (text += part));
            response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
            response.on('error', reject);
          },
        );
        sent.on('error', reject);
        sent.end(body);
      });
    },

    /** Programs of services are kept here. */
    cacheDir: options.cacheDir,

    /** The gateway's files as its process finds them, by name. */
    servedFiles(id: string): Map<string, string> {
      const folder = join(filesFolder(host, id), 'service');
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      return new Map(
        names.flatMap((name) =>
          statSync(join(folder, name)).isFile() ? [[name, readFileSync(join(folder, name), 'utf8')]] : [],
        ),
      );
    },

    /** The processes of the gateway's service. */
    async processes(): Promise<number[]> {
      const sandbox = await findSandbox(host, await this.serviceId());
      return sandbox?.isRunning ? processesOf(sandbox.pid) : [];
    },

    async serviceId(): Promise<string> {
      const row = await queryRow<{ service_id: string }>(sql`SELECT service_id FROM gateway_ingresses`);
      return row.service_id;
    },

    /** The processes that lead into networks. */
    entries: () => findProcesses(host).filter(({ role }) => role === 'entries'),

    async stop(): Promise<void> {
      for (const end of ends) await end();
      for (const { id } of await services.observeServices()) await services.removeService(id);
      const { network } = openLocalEngine(options);
      for (const { id } of await network.observeRouters()) await network.removeRouter(id);
      for (const process of findProcesses(host)) await endProcess(process);
      await removeVolatile(host);
    },
  };
}
