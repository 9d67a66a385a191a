import { computeContract } from '../contract/compute';
import { testHere } from './test-subject';

await testHere(computeContract);
