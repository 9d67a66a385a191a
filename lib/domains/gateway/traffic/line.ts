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

/** Fields in front of the path, which is the rest of the line. */
const FIELDS = 12;

/** Parses a line of the log (`configuration.ts`); undefined for everything that is no request of a route. */
export function parseLine(text: string): Request | undefined {
  const measured = measure(text);
  if (!measured) return undefined;
  const fields: string[] = [];
  let from = 0;
  for (let end = text.indexOf(' '); fields.length < FIELDS; end = text.indexOf(' ', from)) {
    if (end <= from) return undefined;
    fields.push(text.slice(from, end));
    from = end + 1;
  }
  const [, , , , client = '', , , state = '', method = '', request_id = '', scheme = '', host = ''] = fields;
  const { owner, status, sent, received, ms } = measured;
  return {
    ...ownerOf(owner),
    status,
    sent,
    received,
    ms,
    client,
    state,
    method,
    request_id,
    scheme,
    host: decoded(host),
    path: text.slice(from),
  };
}

/** What a line is counted by: the fields in front of those that a client chooses. */
export type Measured = Pick<Request, 'status' | 'sent' | 'received' | 'ms'> & {
  /** Route and server as the log names them. */
  owner: string;
};

const OWNER = 'route-';

/**
 * What a line is counted by; undefined for everything that is no request of a route. Every line of the gateway comes through
 * here, tens of thousands a second, so it takes fields by their place instead of matching an expression.
 */
export function measure(text: string): Measured | undefined {
  const status = text.indexOf(' ');
  const sent = text.indexOf(' ', status + 1);
  const received = text.indexOf(' ', sent + 1);
  const ms = text.indexOf(' ', received + 1);
  const client = text.indexOf(' ', ms + 1);
  if (!text.startsWith(OWNER, client + 1)) return undefined;
  const route = text.indexOf(' ', client + 1);
  const server = text.indexOf(' ', route + 1);
  // A field that is missing ends where the search for it began.
  if (status <= 0 || sent <= 0 || received <= 0 || ms <= 0 || client <= 0 || route <= 0 || server <= route + 1)
    return undefined;
  const measured = {
    status: Number(text.slice(0, status)),
    sent: Number(text.slice(status + 1, sent)),
    received: Number(text.slice(sent + 1, received)),
    ms: Number(text.slice(received + 1, ms)),
    owner: text.slice(client + 1, server),
  };
  const isWhole =
    Number.isSafeInteger(measured.status) &&
    Number.isSafeInteger(measured.sent) &&
    Number.isSafeInteger(measured.received) &&
    Number.isSafeInteger(measured.ms);
  return isWhole ? measured : undefined;
}

/** The route and the backend that an owner names; no backend where the gateway itself answered. */
export function ownerOf(owner: string): Pick<Request, 'route_id' | 'backend'> {
  const blank = owner.indexOf(' ');
  const server = owner.slice(blank + 1);
  return {
    route_id: routeOf(owner.slice(0, blank)) ?? '',
    backend: server.startsWith('<') ? null : backendOfServer(server),
  };
}

function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
