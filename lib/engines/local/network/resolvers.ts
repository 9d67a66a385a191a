import { readFileSync } from 'node:fs';
import ipaddr from 'ipaddr.js';

/** Asked when the host itself knows only a resolver on its loopback, which no namespace can reach. */
const PUBLIC = ['9.9.9.9', '1.1.1.1'];

/** The resolvers that the host uses, as far as they can be reached from outside its loopback. */
export function upstreamResolvers(): string[] {
  const files = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];
  const found = files.map(nameservers).find((servers) => servers.length > 0);
  return found ?? PUBLIC;
}

function nameservers(file: string): string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    const servers = lines.flatMap((line) => /^nameserver\s+(\S+)/.exec(line)?.[1] ?? []);
    return servers.filter((server) => ipaddr.IPv4.isValid(server) && !server.startsWith('127.'));
  } catch {
    return [];
  }
}
