import { serviceAddressContract } from '@/lib/testing/service-address-contract';
import { testServicesHere } from './test-subject';

await testServicesHere(serviceAddressContract);
