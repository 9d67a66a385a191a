import { type Host, shortHash } from '../host';

/** Interface names end at 15 characters, so they are made from the hash of what they belong to. */
export const tapName = (portId: string) => `tap${shortHash(portId, 12)}`;
export const bridgeName = (networkId: string) => `br${shortHash(networkId, 12)}`;

/** A router's cable to the edge: its end there, and its end in the router's own namespace. */
export const cableName = (routerId: string) => `up${shortHash(routerId, 12)}`;
export const UPLINK = 'uplink';

/** The edge's switch, and the cable that leads from it to the host or to slirp4netns. */
export const EDGE_BRIDGE = 'edge';
export const EDGE_CABLE = 'outside';
export const hostCable = (host: Host) => `neph${host.tag}`;

export const edgeNamespace = (host: Host) => `nephele-${host.tag}`;
export const routerNamespace = (host: Host, routerId: string) => `${edgeNamespace(host)}-${shortHash(routerId, 12)}`;

/** A fixed hardware address for a bridge, so that guests keep their gateway's when ports come and go. */
export function bridgeMac(networkId: string): string {
  return `02:${shortHash(networkId, 10).match(/../g)?.join(':')}`;
}
