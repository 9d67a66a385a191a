import { accountEndpoints } from './account/endpoints';
import { moneyEndpoints } from './billing/endpoints';
import { overviewEndpoints } from './overview/endpoints';
import { userEndpoints } from './users/endpoints';

/** The endpoints of the back office, in addition to those of domains. */
export const backofficeEndpoints = [...overviewEndpoints, ...moneyEndpoints, ...accountEndpoints, ...userEndpoints];
