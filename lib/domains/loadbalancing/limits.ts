/** Of a load balancer. */
export const MOST_LISTENERS = 10;
/** Of a pool. */
export const MOST_MEMBERS = 50;
