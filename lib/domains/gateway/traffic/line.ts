import { backendOfServer, routeOf } from '../configuration';

/** A request in the gateway's log. */
export type Request = {
  route_id: string;
  backend: string | null;
  status: number;
  /** To the client. */
  sent: number;
  /** From the client. */
  received: number;
  ms: number;
  client: string;
  /** How it ended, in two to four letters (HAProxy 2.6, 8.5). */
  state: string;
  method: string;
  request_id: string;
  scheme: string;
  host: string;
  path: string;
};

const LINE = /^(-?\d+) \+?(\d+) (\d+) \+?(-?\d+) (\S+) (\S+) (\S+) (\S+) (\S+) (\S+) (\S+) (\S+) (.*)$/;

/** Parses a line of the log (`configuration.ts`); undefined for everything that is no request of a route. */
export function parseLine(text: string): Request | undefined {
  const found = LINE.exec(text);
  if (!found) return undefined;
  const [
    ,
    status,
    sent,
    received,
    ms,
    client = '',
    route = '',
    server = '',
    state = '',
    method = '',
    request_id = '',
    scheme = '',
    host = '',
    path = '',
  ] = found;
  const route_id = routeOf(route);
  if (route_id === undefined) return undefined;
  return {
    route_id,
    backend: server.startsWith('<') ? null : backendOfServer(server),
    status: Number(status),
    sent: Number(sent),
    received: Number(received),
    ms: Number(ms),
    client,
    state,
    method,
    request_id,
    scheme,
    host: decoded(host),
    path,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
