import type { Row } from '@/lib/client/list';

export type Network = Row<'/api/v1/network/networks'>;
export type Router = Row<'/api/v1/network/routers'>;
export type Port = Row<'/api/v1/network/ports'>;
export type FloatingIp = Row<'/api/v1/network/floating-ips'>;
