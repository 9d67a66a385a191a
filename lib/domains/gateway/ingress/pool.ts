import { backendOfPlace, PLACES, poolOf, poolSizeOf, routeOf } from '../configuration';
import type { Running } from './running';

const BACKENDS_AT_ONCE = 64;
/** The size of a pool for so many routes. */
const sizeFor = (routes: number) => (Math.floor(routes / BACKENDS_AT_ONCE) + 1) * BACKENDS_AT_ONCE;

/**
 * Which route has which backend of the pool. HAProxy 2.6 takes new servers while it runs, but no new backends: so there are
 * always some without a route, and only a larger pool is a reload.
 */
export class BackendPool {
  private numbers = new Map<string, number>();
  private size = 0;

  /**
   * Gives each route a backend. What the process serves decides, so that a worker that has just started changes nothing. A backend
   * in which another route still has connections is not given to a new one.
   * @param running undefined when there is no process, or it does not answer
   */
  allot(
    routes: readonly string[],
    running: Running | undefined,
  ): { size: number; numbers: ReadonlyMap<string, number> } {
    const before = running ? numbersOf(running) : this.numbers;
    let size = (running && poolSizeOf(running.structure)) ?? this.size;
    const kept = new Map<string, number>();
    const taken = new Set<number>();
    for (const id of routes) {
      const number = before.get(id);
      if (number !== undefined && number < size && !taken.has(number)) {
        kept.set(id, number);
        taken.add(number);
      }
    }
    const used = new Set([...taken, ...(running ? occupied(running) : [])]);
    const further = routes.filter((id) => !kept.has(id));
    if (size === 0 || size - used.size < further.length) size = sizeFor(Math.max(size, used.size + further.length));
    let number = 0;
    for (const id of further) {
      while (used.has(number)) number += 1;
      used.add(number);
      kept.set(id, number);
    }
    this.size = size;
    this.numbers = kept;
    return { size, numbers: kept };
  }
}

/** Backends of the pool by route, as a process serves them. */
function numbersOf({ maps }: Running): Map<string, number> {
  const found = new Map<string, number>();
  for (const [name, place] of maps.get(PLACES) ?? []) {
    const [id, number] = [routeOf(name), poolOf(backendOfPlace(place))];
    if (id !== undefined && number !== undefined) found.set(id, number);
  }
  return found;
}

/** Backends of the pool that have servers. */
const occupied = ({ servers }: Running): number[] =>
  [...servers.keys()].flatMap((server) => poolOf(server.split('/', 1)[0] ?? '') ?? []);
