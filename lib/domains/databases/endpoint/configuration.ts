import type { EnginePorts } from '../ports';

export const ADMIN_SOCKET = 'admin.sock';
/** Where connections that are held wait, as `hold.lua` has it. */
const GATE_SOCKET = 'gate.sock';
/** Members that an endpoint knows at the same time: those of two groups during an upgrade. */
export const SLOTS = 10;
const MAXIMUM_CONNECTIONS = 4000;
/** Where the endpoint finds the action that lets new connections wait. */
export const HOLD_FILE = 'hold.lua';
/** Where it finds what answers clients of Sentinel. */
export const SENTINEL_FILE = 'sentinel.lua';
const MOST_SENTINEL_CLIENTS = 500;
/** The server that clients get to: the primary. */
export const PRIMARY = 'primary/primary';
/** A member by its place, as it is checked, and as it serves reads. */
export const checkedServer = (slot: number) => `members/m${slot}`;
export const readServer = (slot: number) => `reads/m${slot}`;

export type EndpointFacts = {
  /** Of the cluster: what clients of Sentinel call the primary. */
  name: string;
  /** Null while no member may serve. */
  primary: string | null;
  /** Addresses of members in the order of their places, and whether each serves reads. */
  members: { address: string; reads: boolean }[];
};

const held = [`maxconn ${MAXIMUM_CONNECTIONS}`, 'tcp-request inspect-delay 30s', 'tcp-request content lua.hold'];

const section = (head: string, lines: readonly string[]) => [head, ...lines.map((line) => `  ${line}`)].join('\n');

/** Where the endpoint finds its certificate, with chain and key, when it speaks TLS. */
export const TLS_FILE = 'tls.pem';

/**
 * The configuration of a cluster's endpoint (HAProxy 2.6): where it begins after a restart. Everything that changes later is
 * set through its runtime API, so that it never reloads and connections stay.
 */
export function renderEndpoint(
  { name, primary, members }: EndpointFacts,
  { serving, reading, sentinel, tls }: EnginePorts,
): string {
  const bind = (port: number) =>
    `bind :${port}${tls === 'endpoint' ? ` ssl crt /etc/service/${TLS_FILE} ssl-min-ver TLSv1.2` : ''}`;
  const at = (address: string | undefined) => (address ? `${address}:${serving}` : `0.0.0.0:${serving} disabled`);
  const slots = Array.from({ length: SLOTS }, (_, index) => ({ slot: index + 1, member: members[index] }));
  return `${[
    section('global', [
      'log stdout format raw local0 notice',
      `stats socket /run/service/${ADMIN_SOCKET} mode 600 level admin`,
      'stats timeout 1h',
      `maxconn ${MAXIMUM_CONNECTIONS * 2}`,
      'nbthread 1',
      `lua-load /etc/service/${HOLD_FILE}`,
      ...(sentinel === null
        ? []
        : [
            `setenv SENTINEL_NAME ${name}`,
            `setenv SENTINEL_PORT ${serving}`,
            `setenv SENTINEL_READING_PORT ${reading ?? serving}`,
            `lua-load /etc/service/${SENTINEL_FILE}`,
          ]),
    ]),
    section('defaults', [
      'mode tcp',
      'log global',
      'option clitcpka',
      'option srvtcpka',
      'srvtcpka-idle 5s',
      'srvtcpka-intvl 1s',
      'srvtcpka-cnt 3',
      // A connection that finds no primary tries again until it has been replaced: each time at its present address.
      'option redispatch 1',
      'retries 10',
      'timeout connect 400ms',
      'timeout queue 5s',
      'timeout client 20d',
      'timeout server 20d',
      'default-server init-addr none',
    ]),
    section('frontend clients', [bind(serving), ...held, 'default_backend primary']),
    section('frontend gate', [
      `bind unix@/run/service/${GATE_SOCKET} mode 600`,
      `maxconn ${MAXIMUM_CONNECTIONS}`,
      'tcp-request content use-service lua.gate',
    ]),
    ...(reading === null
      ? []
      : [
          section('frontend readers', [
            bind(reading),
            ...held,
            'use_backend primary if { nbsrv(reads) eq 0 }',
            'default_backend reads',
          ]),
        ]),
    ...(sentinel === null
      ? []
      : [
          section('frontend sentinel', [
            bind(sentinel),
            `maxconn ${MOST_SENTINEL_CLIENTS}`,
            'tcp-request content use-service lua.sentinel',
          ]),
        ]),
    // Not checked: who is the primary is not for the endpoint to say.
    section('backend primary', [`server primary ${at(primary ?? undefined)}`]),
    section('backend reads', [
      'balance leastconn',
      ...slots.map(
        ({ slot, member }) =>
          `server m${slot} ${at(member?.address)} track ${checkedServer(slot)}${member && !member.reads ? ' disabled' : ''}`,
      ),
    ]),
    // What the endpoint reaches on the network, which the host can't see at the members' sockets.
    section('backend members', [
      'timeout check 400ms',
      ...slots.map(
        ({ slot, member }) => `server m${slot} ${at(member?.address)} check inter 400ms fastinter 200ms rise 1 fall 3`,
      ),
    ]),
  ].join('\n\n')}\n`;
}
