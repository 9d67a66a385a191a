import { mkdtemp, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstanceSpec } from '@/lib/domains/compute/engine';
import { PLATFORM_URL } from '@/lib/service-address';
import { run } from '../exec';
import { giveToGuest, type Host } from '../host';
import { removePath } from '../record';
import { instanceDirectory, seedFile } from './instance-record';

/**
 * Writes the NoCloud seed: a small FAT disk labelled `cidata`, which cloud-init reads at every boot. A new generation of
 * the disk is a new instance id, so a rebuilt guest runs its first-boot steps again.
 */
export async function writeSeed(host: Host, spec: InstanceSpec): Promise<void> {
  const work = await mkdtemp(join(instanceDirectory(host, spec.id), 'seed-'));
  try {
    const files = seedFiles(spec);
    for (const [name, text] of Object.entries(files)) await writeFile(join(work, name), text);
    const image = join(work, 'image');
    const kib = Object.values(files).reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 1024), 0);
    const geometry = kib < 1300 ? ['-f', '1440'] : ['-f', '2880'];
    await run(['mformat', '-C', '-i', image, ...geometry, '-v', 'CIDATA', '::']);
    await run(['mcopy', '-i', image, ...Object.keys(files).map((name) => join(work, name)), '::']);
    await giveToGuest(host, image, spec.id, 0o400);
    await rename(image, seedFile(host, spec.id));
  } finally {
    await removePath(work);
  }
}

/** The seed's files by name. YAML takes JSON's strings as they are. */
function seedFiles(spec: InstanceSpec): Record<string, string> {
  const { hostname, sshPublicKeys, userData } = spec.seed;
  const metaData = [
    `instance-id: ${JSON.stringify(`${spec.id}-${spec.disk.generation}`)}`,
    `local-hostname: ${JSON.stringify(hostname)}`,
    // Not read by cloud-init itself, which shows it to scripts as `ds.meta_data.platform_url`.
    `platform_url: ${JSON.stringify(PLATFORM_URL)}`,
    ...(sshPublicKeys.length > 0 ? ['public-keys:', ...sshPublicKeys.map((key) => `  - ${JSON.stringify(key)}`)] : []),
  ];
  return {
    'meta-data': `${metaData.join('\n')}\n`,
    'user-data': userData ?? '#cloud-config\n{}\n',
    'network-config': networkConfig(spec),
    addresses: staticAddresses(spec),
  };
}

/** Version 2 of cloud-init's network configuration. */
function networkConfig(spec: InstanceSpec): string {
  const cards = spec.ports.map((port, index) => {
    const settings = port.dhcp
      ? { dhcp4: true }
      : {
          addresses: [`${port.ip}/${port.prefixLength}`],
          nameservers: { addresses: resolversOf(port) },
          ...(index === 0 ? { routes: [{ to: '0.0.0.0/0', via: port.gatewayIp }] } : {}),
        };
    return [`port${index}`, { match: { macaddress: port.mac }, ...settings }];
  });
  return `${JSON.stringify({ version: 2, ethernets: Object.fromEntries(cards) })}\n`;
}

/** The same for nephele-tiny, which reads no YAML: a line a card, `MAC ADDRESS/PREFIX GATEWAY DNS…`. */
function staticAddresses(spec: InstanceSpec): string {
  return spec.ports
    .filter((port) => !port.dhcp)
    .map((port) => `${port.mac} ${port.ip}/${port.prefixLength} ${port.gatewayIp} ${resolversOf(port).join(' ')}\n`)
    .join('');
}

/** As DHCP has it: where a network names no servers, its gateway answers. */
const resolversOf = ({ dnsServers, gatewayIp }: InstanceSpec['ports'][number]) =>
  dnsServers.length > 0 ? dnsServers : [gatewayIp];
