import { imageContract } from '../contract/images';
import { testHere } from './test-subject';

await testHere(imageContract);
