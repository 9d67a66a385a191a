import { functionContract } from '@/lib/testing/function-contract';
import { testFunctionsAsOrdinaryUser } from './test-subject';

await testFunctionsAsOrdinaryUser(functionContract);
