import { computeSemantics } from '../contract/semantics/compute';
import { testHere } from './test-subject';

await testHere(computeSemantics);
