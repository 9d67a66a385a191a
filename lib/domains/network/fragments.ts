import { raw, type Sql, sql } from '@/lib/core/db/sql';

// What others read of the tables of networks, in statements of their own. Parameters are aliases of tables.

/** The ports of a device, as a table. @param device a table with `project_id` and `id` */
export const joinPorts = (device: string, port = 'p'): Sql =>
  raw(`JOIN ports ${port} ON ${port}.project_id = ${device}.project_id AND ${port}.device_id = ${device}.id`);

/** The ports of a device, as an expression of type jsonb: a list of `columns`, which name the port `p`. */
export const portsOf = (device: string, columns: Sql): Sql =>
  sql`(SELECT coalesce(jsonb_agg(${columns} ORDER BY p.id), '[]') FROM ports p WHERE p.device_id = ${raw(device)}.id)`;

/** The same with the subnet `s` of each port. */
export const wiredPortsOf = (device: string, columns: Sql): Sql =>
  sql`(SELECT coalesce(jsonb_agg(${columns} ORDER BY p.id), '[]') FROM ports p ${joinSubnet('p')} WHERE p.device_id = ${raw(device)}.id)`;

/** The subnet `s` of the network that a table names in `network_id`: `cidr`, `gateway_ip`, `dns_servers`, `dhcp_enabled`. */
export const joinSubnet = (of: string): Sql => raw(`JOIN subnets s ON s.network_id = ${of}.network_id`);

/** The ports `p` with their subnets `s`, for a condition on both. */
export const wiredPorts: Sql = sql`ports p ${joinSubnet('p')}`;

/** Whether a device has a port in a network. */
export const hasPortIn = (device: string, networkId: string): Sql =>
  sql`EXISTS (SELECT FROM ports p WHERE p.device_id = ${raw(device)}.id AND p.network_id = ${networkId}::uuid)`;

/** Whether a port is one of a device; both are SQL expressions. */
export const isPortOf = (port: string, device: string): Sql =>
  raw(`EXISTS (SELECT FROM ports p WHERE p.device_id = ${device} AND p.id = ${port})`);

/** The floating IP of a port; null without one. */
export const floatingIpOf = (port = 'p'): Sql =>
  raw(`(SELECT host(f.address) FROM floating_ips f WHERE f.port_id = ${port}.id)`);

/** The ids of the security groups of a port. */
export const groupsOf = (port = 'p'): Sql =>
  raw(`ARRAY(SELECT g.security_group_id::text FROM port_security_groups g WHERE g.port_id = ${port}.id ORDER BY 1)`);

/** The ids of the security groups of all ports of a device. */
export const groupsOfDevice = (device: string): Sql =>
  raw(`ARRAY(SELECT DISTINCT g.security_group_id::text FROM ports p JOIN port_security_groups g ON g.port_id = p.id
     WHERE p.device_id = ${device}.id ORDER BY 1)`);

/** The router `r` of a project. @param project a table with `project_id`: in the target of a guarded write, `k` */
export const joinRouter = (project = 'k'): Sql => raw(`JOIN routers r ON r.project_id = ${project}.project_id`);

/** Whether the project's router, as `r`, is in a cell or may still go there. */
export const isRoutedIn = (cellId: string): Sql => sql`coalesce(r.cell_id, ${cellId}::text) = ${cellId}::text`;

/** The target of a guarded write that puts something into a cell: its project must not have got another one meanwhile. */
export const routerInCell = (cellId: string | null): Sql =>
  cellId === null
    ? raw('SELECT true AS allowed, NULL::text AS state FROM k')
    : sql`SELECT ${isRoutedIn(cellId)} AS allowed, NULL::text AS state FROM k ${joinRouter()} FOR UPDATE OF r`;

/** All routers `r`. */
export const routers: Sql = raw('routers r');
