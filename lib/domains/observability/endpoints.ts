import { logEndpoints } from './logs/endpoints';

/** Observability (spec 4.15). */
export const observabilityEndpoints = [...logEndpoints];
