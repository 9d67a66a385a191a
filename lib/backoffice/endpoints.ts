import { accountEndpoints } from './account/endpoints';

/** What the back office has besides the domains' own endpoints there. */
export const backofficeEndpoints = [...accountEndpoints];
