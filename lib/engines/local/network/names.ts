import { shortHash } from '../host';

/** Interface names end at 15 characters, so they are made from the hash of what they belong to. */
export const tapName = (portId: string) => `tap${shortHash(portId, 12)}`;
export const bridgeName = (networkId: string) => `br${shortHash(networkId, 12)}`;
