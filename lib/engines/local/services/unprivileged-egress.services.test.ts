import { it } from 'vitest';
import { egressContract } from '@/lib/testing/egress-contract';
import { becomeOrdinaryUser, testServicesHere } from './test-subject';

if (becomeOrdinaryUser()) await testServicesHere(egressContract);
else it.skip('tested as this user', () => {});
