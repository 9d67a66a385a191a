import { storageSemantics } from '../contract/semantics/storage';
import { testHere } from './test-subject';

await testHere(storageSemantics);
