import { z } from 'zod';
import type { Redirected, Router } from '@/lib/domains/network/engine';

/** Ids and names stand in scripts of `ip` and `nft` and in dnsmasq's files, so they hold nothing that means anything there. */
const id = z.string().regex(/^[A-Za-z0-9-]{1,64}$/);
const hostname = z.string().regex(/^[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/);
/** Labels of up to 63 characters (RFC 1035). */
const networkName = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/);
const portNumber = z.int().min(0).max(65_535).nullable();

const rule = z.object({
  direction: z.enum(['ingress', 'egress']),
  protocol: z.enum(['tcp', 'udp', 'icmp', 'any']),
  portRangeMin: portNumber,
  portRangeMax: portNumber,
  cidr: z.union([z.cidrv4(), z.cidrv6()]),
});

const port = z.object({
  id,
  mac: z.mac(),
  ip: z.ipv4(),
  hostname,
  securityGroupIds: z.array(id),
  holderId: id.nullable(),
  attachment: z.enum(['tap', 'veth', 'none']),
  sharedAddresses: z.array(z.ipv4()),
});

const network = z.object({
  id,
  cidr: z.cidrv4(),
  gatewayIp: z.ipv4(),
  dhcpEnabled: z.boolean(),
  dnsServers: z.array(z.ipv4()),
  names: z.array(z.object({ name: networkName, address: z.ipv4() })),
  ports: z.array(port),
});

/** A router as it must be before any part of it becomes a script. */
export const routerSchema: z.ZodType<Router> = z.object({
  id,
  networks: z.array(network),
  securityGroups: z.array(z.object({ id, rules: z.array(rule) })),
  floatingIps: z.array(z.object({ id, address: z.ipv4(), portId: id })),
});

export const ipv4 = z.ipv4();

/** Of `redirect`. */
export const redirected: z.ZodType<Redirected> = z.object({
  networkId: id,
  address: ipv4,
  port: z.int().min(1).max(65_535),
});

/** Of `ensureEntries`. */
export const entryTarget = z.object({ address: z.ipv4(), port: z.int().min(1).max(65_535) });
