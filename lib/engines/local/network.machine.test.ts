import { networkContract } from '../contract/network';
import { testHere } from './test-subject';

await testHere(networkContract);
