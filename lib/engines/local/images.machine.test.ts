import { imageSemantics } from '../contract/semantics/images';
import { testHere } from './test-subject';

await testHere(imageSemantics);
