import { networkIsolation } from '../contract/isolation/network';
import { networkSemantics } from '../contract/semantics/network';
import { testHere } from './test-subject';

await testHere((name, prepare) => networkSemantics(name, prepare, networkIsolation));
