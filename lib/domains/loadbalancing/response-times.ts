import { Durations } from '@/lib/core/devices/durations';

// How `configuration.ts` begins a line. Everything that a client chooses comes later in it.
const LINE = /^\{"client":"[^"]*","port":(\d+),"status":(\d+),"bytes":\d+,"ms":(\d+),/;
/** Switching protocols: how long such a connection lasts says nothing about its member. */
const SWITCHING = 101;

/** By node and port, since they were last taken. */
let times = new Map<string, Map<number, Durations>>();

/** Counts the durations of requests in new lines of a node's log. */
export function countTimes(nodeId: string, messages: readonly string[]): void {
  const ports = times.get(nodeId) ?? new Map<number, Durations>();
  times.set(nodeId, ports);
  for (const message of messages) {
    const found = LINE.exec(message);
    if (!found || Number(found[2]) === SWITCHING) continue;
    const port = Number(found[1]);
    const durations = ports.get(port) ?? new Durations();
    ports.set(port, durations);
    durations.add(Number(found[3]));
  }
}

/** The durations of all requests since the last call, by node and port. Those of deleted nodes end with it. */
export function takeTimes(): ReadonlyMap<string, ReadonlyMap<number, Durations>> {
  const taken = times;
  times = new Map();
  return taken;
}
