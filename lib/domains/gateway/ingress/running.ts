import { ask, parseStats, type Stat } from '@/lib/domains/loadbalancing/runtime-api';
import { FILES, PLACES, ROUTES } from '../configuration';

/** What HAProxy's process serves at present. */
export type Running = {
  structure: string;
  /** The maps by which requests find their backends, by file. */
  maps: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** By `BACKEND/NAME`. */
  servers: ReadonlyMap<string, Stat>;
};

/** Statistics of servers alone, of all backends. */
export const SERVERS_ONLY = 'show stat -1 4 -1';

/** Reads what a process serves; undefined when it does not answer. */
export async function readRunning(socket: string): Promise<Running | undefined> {
  const [info, routes, places, stats] = await Promise.all(
    ['show info', `show map ${FILES}/${ROUTES}`, `show map ${FILES}/${PLACES}`, SERVERS_ONLY].map((command) =>
      ask(socket, [command]),
    ),
  );
  const structure = /^description: (\S+)$/m.exec(info ?? '')?.[1];
  if (structure === undefined || routes === undefined || places === undefined || stats === undefined) return undefined;
  return {
    structure,
    maps: new Map([
      [ROUTES, parseMap(routes)],
      [PLACES, parseMap(places)],
    ]),
    servers: new Map(parseStats(stats).map((stat) => [`${stat.pxname}/${stat.svname}`, stat])),
  };
}

/** Parses `show map`: a line is an address in memory, a key and a value. */
export const parseMap = (shown: string): ReadonlyMap<string, string> =>
  new Map(
    [...shown.matchAll(/^0x[0-9a-f]+ (\S+) (\S+)$/gm)].map(([, key = '', value = '']): [string, string] => [
      key,
      value,
    ]),
  );
