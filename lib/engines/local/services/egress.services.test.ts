import { egressContract } from './egress-contract';
import { testServicesHere } from './test-subject';

await testServicesHere(egressContract);
