import { it } from 'vitest';
import { egressContract } from './egress-contract';
import { becomeOrdinaryUser, testServicesHere } from './test-subject';

if (becomeOrdinaryUser()) await testServicesHere(egressContract);
else it.skip('tested as this user', () => {});
