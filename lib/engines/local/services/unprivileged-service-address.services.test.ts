import { serviceAddressContract } from '@/lib/testing/service-address-contract';
import { testServicesAsOrdinaryUser } from './test-subject';

await testServicesAsOrdinaryUser(serviceAddressContract);
