import {
  backendName,
  backendOfPlace,
  FILES,
  mapsOf,
  PLACES,
  poolName,
  poolOf,
  ROUTES,
  type ServedRoute,
  serverOptions,
  serverPath,
} from '../configuration';
import type { Running } from './running';

/** Commands that make a process serve what it should, in their order. */
export type Changes = {
  /** Without these, something is missing or served wrongly. */
  needed: string[];
  /** Takes away what is not served any more. It has to wait for connections, and is tried again at each look. */
  leftovers: string[];
  /** Servers of leftovers by their paths. */
  left: string[];
  /** Only a reload brings what is missing: the process has another structure. */
  isImpossible: boolean;
  /** A route would share a backend with servers of another one: its backend must be chosen anew. */
  isConflicting: boolean;
};

/** The difference between what a process serves and what it should serve. */
export function changesOf(running: Running, routes: readonly ServedRoute[]): Changes {
  const servers = serverChanges(running, routes);
  const maps = mapChanges(running, routes);
  const left = [...running.servers.keys()].filter(
    (path) => poolOf(path.split('/', 1)[0] ?? '') !== undefined && !servers.wanted.has(path),
  );
  const ends = left.filter((path) => !isEnded(running.servers, path)).map((path) => `set server ${path} state maint`);
  return {
    // At no moment is a route without any weight, or a request led to what is not there.
    needed: [...servers.more, ...maps.more, ...maps.less, ...servers.less, ...ends],
    leftovers: left.map((path) => `del server ${path}`),
    left,
    isImpossible: servers.isImpossible,
    isConflicting: isConflicting(running, routes, left),
  };
}

/** Whether a route is to enter a backend that has servers of others. Its own former servers may be where it is already. */
function isConflicting({ maps }: Running, routes: readonly ServedRoute[], left: readonly string[]): boolean {
  const occupied = new Set(left.map((path) => path.split('/', 1)[0]));
  const places = maps.get(PLACES);
  return routes.some(({ id, pool }) => {
    if (pool === null || !occupied.has(poolName(pool))) return false;
    return backendOfPlace(places?.get(backendName(id)) ?? '') !== poolName(pool);
  });
}

const isEnded = (servers: Running['servers'], path: string) => servers.get(path)?.status?.startsWith('MAINT') ?? true;

function serverChanges({ servers }: Running, routes: readonly ServedRoute[]) {
  const wanted = new Set<string>();
  const [more, less]: [string[], string[]] = [[], []];
  let isImpossible = false;
  for (const route of routes) {
    for (const backend of route.backends) {
      const { weight, target } = backend;
      const options = serverOptions(backend);
      if (options === null || target === null) continue;
      const path = serverPath(route, backend);
      const stat = servers.get(path);
      wanted.add(path);
      if (!stat) {
        if (route.pool === null) isImpossible = true;
        else more.push(`add server ${path} ${options}`, `enable health ${path}`, `enable server ${path}`);
        continue;
      }
      // It was on its way out, and is wanted again.
      if (route.pool !== null && isEnded(servers, path)) more.push(`enable server ${path}`);
      if (Number(stat.weight) !== weight)
        (weight < Number(stat.weight) ? less : more).push(`set weight ${path} ${weight}`);
      if (route.pool === null && target.kind === 'address') {
        const address = `${target.ip.includes(':') ? `[${target.ip}]` : target.ip}:${target.port}`;
        if (stat.addr !== address) more.push(`set server ${path} addr ${target.ip} port ${target.port}`);
      }
    }
  }
  return { wanted, more, less, isImpossible };
}

/** Entries come in the order of the maps, and go in the opposite one: a host never leads to a route without a place. */
function mapChanges({ maps }: Running, routes: readonly ServedRoute[]) {
  const wanted = mapsOf(routes);
  const [more, less]: [string[], string[]] = [[], []];
  for (const map of [PLACES, ROUTES]) {
    const [there, here] = [maps.get(map) ?? new Map<string, string>(), wanted.get(map) ?? new Map<string, string>()];
    const file = `${FILES}/${map}`;
    for (const [key, value] of here) {
      if (there.get(key) === value) continue;
      more.push(`${there.has(key) ? 'set' : 'add'} map ${file} ${word(key)} ${word(value)}`);
    }
    less.unshift(...[...there.keys()].filter((key) => !here.has(key)).map((key) => `del map ${file} ${word(key)}`));
  }
  return { more, less };
}

/** Semicolons would end a command. */
const word = (text: string) => text.replaceAll(/[\\;]/g, (character) => `\\${character}`);

/** Longer requests than this do not fit into HAProxy's buffer of 16 KB. */
const REQUEST_LENGTH = 8000;

/** Commands in as few requests as HAProxy takes, in their order. */
export function requestsOf(commands: readonly string[]): string[][] {
  const requests: string[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const command of commands) {
    if (length + command.length > REQUEST_LENGTH) {
      requests.push([]);
      length = 0;
    }
    requests.at(-1)?.push(command);
    length += command.length + 1;
  }
  return requests;
}
