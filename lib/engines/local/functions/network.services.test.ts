import { functionNetworkContract } from '@/lib/testing/function-network-contract';
import { testFunctionsHere } from './test-subject';

await testFunctionsHere(functionNetworkContract);
