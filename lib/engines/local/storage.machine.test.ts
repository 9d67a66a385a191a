import { storageContract } from '../contract/storage';
import { testHere } from './test-subject';

await testHere(storageContract);
