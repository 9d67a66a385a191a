import { egressContract } from '@/lib/testing/egress-contract';
import { testServicesHere } from './test-subject';

await testServicesHere(egressContract);
