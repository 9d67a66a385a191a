/** A rule of a security group. Ports are null for `icmp`, `any` and "all ports". */
export type SecurityRule = {
  direction: 'ingress' | 'egress';
  protocol: 'tcp' | 'udp' | 'icmp' | 'any';
  portRangeMin: number | null;
  portRangeMax: number | null;
  cidr: string;
};

export type SecurityGroup = { id: string; rules: SecurityRule[] };

/** A virtual interface. Rules of all its groups add up; with no group nothing passes. */
export type Port = {
  id: string;
  mac: string;
  ip: string;
  /** DHCP and DNS name of the guest behind it. */
  hostname: string;
  securityGroupIds: string[];
  /** The instance or service that holds it; null while nothing does. */
  holderId: string | null;
  /**
   * `tap`: made and removed by the network engine, for a machine. `veth`: both ends belong to the service that holds the
   * port, and the network engine connects the outer one to the network when it appears. `none`: an address with its
   * rules, which holders of other ports may answer for.
   */
  attachment: 'tap' | 'veth' | 'none';
  /** Addresses of other ports that this one may always send from (IP and ARP), such as a virtual IP that moves. */
  sharedAddresses: string[];
};

export type Network = {
  id: string;
  /** IPv4, unique within its router; other routers may use the same range. */
  cidr: string;
  gatewayIp: string;
  dhcpEnabled: boolean;
  /** Told to guests; empty means the platform's own resolver at the gateway. */
  dnsServers: string[];
  /** Further names that its resolver answers, as they are and below `.internal`, besides those of its ports. */
  names: { name: string; address: string }[];
  ports: Port[];
};

/** An address of the external pool, bound one to one to a port of the same router. */
type FloatingIp = { id: string; address: string; portId: string };

/** A tenant's router with everything behind it: an island of its own, whose address ranges no other router knows. */
export type Router = {
  id: string;
  networks: Network[];
  securityGroups: SecurityGroup[];
  floatingIps: FloatingIp[];
};

/** Where a caller on this host reaches a port of a floating IP, when that is not simply the same port. */
export type FloatingIpForward = { floatingIp: string; protocol: 'tcp' | 'udp'; port: number; hostPort: number };

/** What the engine chose for a router that is in force. */
export type RouterState = {
  /** The address that its networks have outside. */
  externalIp: string;
  /**
   * Empty where floating IPs are plain addresses. Without root they are loopback addresses with a forward for each
   * port that a rule opens; of ranges over 64 ports only the well-known ones. 80 is reached at 8080, because low ports need root.
   */
  forwards: FloatingIpForward[];
  /** What could not be done as asked, for a person to read. */
  warnings: string[];
};

/** A TCP port of a router's networks. */
export type EntryTarget = { address: string; port: number };
/** A way in: a Unix socket, by the path at which a front finds it (`ServiceSpec.front`). */
export type Entry = EntryTarget & { socket: string };

/** A TCP port of an address of a network, whose connections another address may take. */
export type Redirected = { networkId: string; address: string; port: number };

/** A router that the engine has, whole or in parts; `externalIp` is null before it has one. */
export type ObservedRouter = { id: string; externalIp: string | null; networkIds: string[]; portIds: string[] };

/** A router, and what behind it is counted. */
export type CountedRouter = { id: string; networkIds: readonly string[]; floatingIpIds: readonly string[] };

/**
 * Bytes and packets in both directions: of a network and of a floating IP, to and from its machines; of a router, from
 * and to the outside.
 */
export type Traffic = { receivedBytes: number; receivedPackets: number; sentBytes: number; sentPackets: number };

/** Addresses from the first to the last. */
export type FloatingIpRange = { first: string; last: string };

/**
 * Networks, ports, rules and floating IPs, one router at a time: what a call does not name is left as it is. Calls are
 * idempotent and may be repeated after a crash at any point; calls about one router queue up.
 */
export interface NetworkEngine {
  /**
   * Makes one router exactly what is given: adds, changes and removes what is behind it, without cutting what stays.
   * A changed rule holds for the next packet, of established connections too.
   */
  ensureRouter(router: Router): Promise<RouterState>;
  /** Removes a router with everything behind it; no error when some or all is gone. */
  removeRouter(id: string): Promise<void>;
  /** Every router of which the engine has anything. */
  observeRouters(): Promise<ObservedRouter[]>;
  /**
   * Bytes that these ports have sent beyond the platform's private networks since they exist, also of machines that are off.
   * @throws EngineError `NOT_FOUND` when one of them is not here
   */
  egressBytes(ports: readonly { id: string; networkId: string }[]): Promise<number>;
  /**
   * What has passed since the router exists, by the ids of the router, its networks and its floating IPs; some may be
   * missing. Empty when the engine does not have the router.
   */
  traffic(router: CountedRouter): Promise<ReadonlyMap<string, Traffic>>;
  /**
   * The Unix socket that the service address inside a router's networks leads to, at each of its ports. The engine
   * leads there and nowhere else; whoever ensures the router listens.
   */
  serviceSocket(routerId: string): string;
  /**
   * Opens exactly these ways from a front into a router's networks, and closes all others; open connections of what stays go
   * on. Connections come from the networks' gateways, and security groups hold for them. A socket accepts connections
   * while its target does. Sockets of a router go with it.
   */
  ensureEntries(routerId: string, targets: readonly EntryTarget[]): Promise<Entry[]>;
  /**
   * Leads connections that machines of the network open from now on straight to the same port of another of its addresses, or
   * back to the holder of the address (null). The security groups of the address's port still apply, and the target sees
   * that address as the client. Open connections are not affected, nor are those through a floating IP.
   * @throws EngineError `NOT_FOUND` while the network is not here
   */
  redirect(from: Redirected, to: string | null): Promise<void>;
  /**
   * Ends the open connections that were led elsewhere than to `keep`: their clients learn it at once, also those that only wait
   * for an answer. No error when there are none.
   */
  endRedirected(from: Redirected, keep: string | null): Promise<void>;
  /**
   * The addresses that the platform may allocate as floating IPs. The engine holds all of them, those of a cloud reserved
   * ahead, so that an allocation needs no call.
   */
  floatingIpRanges(): Promise<FloatingIpRange[]>;
}
