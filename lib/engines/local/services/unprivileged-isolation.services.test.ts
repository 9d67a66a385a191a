import { it } from 'vitest';
import { attackersContract } from './attackers';
import { becomeOrdinaryUser, testServicesHere } from './test-subject';

if (becomeOrdinaryUser()) await testServicesHere(attackersContract);
else it.skip('tested as this user', () => {});
