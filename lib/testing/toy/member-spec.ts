import { open } from '@/lib/core/crypto/seal';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { joinPorts, joinSubnet } from '@/lib/domains/network/fragments';
import type { Program } from '@/lib/engines/local/catalogue/program';
import { ensureCertificate } from '@/lib/hosts/certificates/certificates';
import type { ServiceSpec } from '@/lib/hosts/services/engine';

/** The program of a member: a TLS server, and a client that copies the active member's notes. */
export const toyProgram: Program = {
  name: 'toy-server',
  version: '1',
  licence: 'GPL-2.0-only AND Apache-2.0',
  sources: [{ kind: 'debian', packages: ['busybox-static', 'curl', 'openssl'] }],
  keep: ['bin/busybox', 'usr/bin/busybox', 'usr/bin/curl', 'usr/bin/openssl'],
};

/** Memory of a member, by version: an upgrade needs more room. */
export const memoryMbOf = (version: number): number => 64 * version;

export const shell = ['/bin/busybox', 'sh', '-c'];
export const toyUrl = (name: string): string => `https://${name}.toys:8443/notes`;

type Facts = {
  ordinal: number;
  version: number;
  toy_id: string;
  project_id: string;
  name: string;
  address: string;
  is_active: boolean;
  sealed_password: Buffer;
  port_id: string;
  network_id: string;
  mac: string;
  ip: string;
  prefix_length: number;
  gateway_ip: string;
};

/** The desired state of a member from its rows; undefined when deleted. */
export async function memberSpec(id: string): Promise<ServiceSpec | undefined> {
  const facts = await queryOne<Facts>(sql`
    SELECT m.ordinal, m.version, m.toy_id, m.project_id, t.name, host(t.address) AS address, t.active_member = m.ordinal AS is_active,
      t.sealed_password, p.id AS port_id, p.network_id, p.mac, host(p.ip) AS ip, masklen(s.cidr) AS prefix_length,
      host(s.gateway_ip) AS gateway_ip
    FROM toy_members m JOIN toys t ON t.id = m.toy_id ${joinPorts('m')} ${joinSubnet('p')}
    WHERE m.id = ${id}::uuid`);
  if (!facts) return undefined;
  const { toy_id, project_id, name, ordinal, address, ip, gateway_ip } = facts;
  const served = await ensureCertificate({ id: toy_id, kind: 'toy', project_id }, `member-${ordinal}`, {
    common_name: name,
    dns_names: [`${name}.toys`, 'localhost'],
    addresses: [address, ip, '127.0.0.1'],
    usage: 'server',
  });
  const password = open(facts.sealed_password, `toys:${toy_id}`).toString();
  return {
    id,
    program: { name: toyProgram.name, version: toyProgram.version },
    argv: [...shell, script(facts)],
    environment: { http_proxy: 'http://127.0.0.1:3128' },
    egress: { owner: toy_id },
    files: [
      { path: 'tls/cert.pem', content: served.certificate, secret: false },
      { path: 'tls/ca.pem', content: served.authorities, secret: false },
      { path: 'tls/key.pem', content: served.key, secret: true },
      { path: 'password', content: password, secret: true },
    ],
    state: { sizeMb: 16 },
    port: {
      id: facts.port_id,
      networkId: facts.network_id,
      mac: facts.mac,
      ip,
      prefixLength: facts.prefix_length,
      gatewayIp: gateway_ip,
      dnsServers: [gateway_ip],
      sharedAddresses: facts.is_active ? [address] : [],
    },
    limits: { cpuMillis: 500, memoryMb: memoryMbOf(facts.version), processes: 32, openFiles: 256 },
    health: { kind: 'tcp', port: 8443 },
    restart: 'always',
    reload: { kind: 'restart' },
    power: 'running',
    stopSeconds: 1,
  };
}

/** A standby member copies the active one's notes by the toy's name, over verified TLS. */
function script({ name, ordinal, version }: Facts): string {
  return `cd /state && touch notes
echo "member ${ordinal} runs version ${version}"
while sleep 0.3; do
  curl -sf --max-time 2 --cacert /etc/service/tls/ca.pem -o copy ${toyUrl(name)} && [ -s copy ] && mv copy notes
done &
exec openssl s_server -quiet -accept 8443 -cert /etc/service/tls/cert.pem -key /etc/service/tls/key.pem -WWW`;
}
