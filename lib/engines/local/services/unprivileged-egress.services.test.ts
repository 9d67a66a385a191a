import { egressContract } from '@/lib/testing/egress-contract';
import { testServicesAsOrdinaryUser } from './test-subject';

await testServicesAsOrdinaryUser(egressContract);
