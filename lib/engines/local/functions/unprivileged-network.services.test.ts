import { functionNetworkContract } from '@/lib/testing/function-network-contract';
import { testFunctionsAsOrdinaryUser } from './test-subject';

await testFunctionsAsOrdinaryUser(functionNetworkContract);
