import { it } from 'vitest';
import { serviceAddressContract } from '@/lib/testing/service-address-contract';
import { becomeOrdinaryUser, testServicesHere } from './test-subject';

if (becomeOrdinaryUser()) await testServicesHere(serviceAddressContract);
else it.skip('tested as this user', () => {});
