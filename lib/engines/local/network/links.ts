import { z } from 'zod';
import { run } from '../exec';

const link = z.object({
  ifname: z.string(),
  ifalias: z.string().optional(),
  flags: z.array(z.string()).default([]),
  master: z.string().optional(),
  linkinfo: z.object({ info_kind: z.string().optional() }).optional(),
  addr_info: z.array(z.object({ family: z.string(), local: z.string(), prefixlen: z.number() })).default([]),
});

export type Link = {
  /** `veth`, `bridge`, `tun`, …; absent for `lo`. */
  kind: string | undefined;
  /** The id of what it belongs to. */
  alias: string | undefined;
  /** Its bridge. */
  master: string | undefined;
  isUp: boolean;
  /** IPv4, with prefix length. */
  addresses: string[];
};

/** Interfaces of a namespace by name. */
export type Links = Map<string, Link>;

export async function readLinks(namespace: readonly string[]): Promise<Links> {
  const answer: unknown = JSON.parse((await run([...namespace, 'ip', '-json', '-details', 'address', 'show'])) || '[]');
  // `ip` prints empty objects for what vanishes while it looks.
  const links = z.array(z.union([link, z.object({})])).parse(answer);
  return new Map(
    links.flatMap((entry) => {
      if (!('ifname' in entry)) return [];
      const addresses = entry.addr_info.filter(({ family }) => family === 'inet');
      return [
        [
          entry.ifname,
          {
            kind: entry.linkinfo?.info_kind,
            alias: entry.ifalias,
            master: entry.master,
            isUp: entry.flags.includes('UP'),
            addresses: addresses.map(({ local, prefixlen }) => `${local}/${prefixlen}`),
          },
        ] as const,
      ];
    }),
  );
}

/** Runs commands of `ip` in one go; none is no work. */
export async function changeLinks(namespace: readonly string[], commands: string[]): Promise<void> {
  if (commands.length > 0) await run([...namespace, 'ip', '-batch', '-'], { input: `${commands.join('\n')}\n` });
}

/** Kernel settings of a namespace; what this kernel does not have is left out. */
export async function changeSettings(namespace: readonly string[], settings: Record<string, string>): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => {
    const file = `/proc/sys/net/${name}`;
    return `[ ! -e ${file} ] || echo ${value} > ${file}`;
  });
  await run([...namespace, 'sh', '-ec', lines.join('\n')]);
}
