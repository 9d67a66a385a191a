/** Of a member of a database cluster, before what the operator sets. */
export const MOST_VCPUS = 64;
export const MOST_RAM_GB = 512;
export const MOST_STORAGE_GB = 16_384;
export const MOST_INSTANCES = 5;
