import { functionContract } from '@/lib/testing/function-contract';
import { testFunctionsHere } from './test-subject';

await testFunctionsHere(functionContract);
