import { accountEndpoints } from './account/endpoints';
import { moneyEndpoints } from './billing/endpoints';
import { overviewEndpoints } from './overview/endpoints';
import { userEndpoints } from './users/endpoints';

/** What the back office has besides the domains' own endpoints there. */
export const backofficeEndpoints = [...overviewEndpoints, ...moneyEndpoints, ...accountEndpoints, ...userEndpoints];
