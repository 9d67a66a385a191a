import { machineIsolation } from '../contract/isolation/machines';
import { testHere } from './test-subject';

const isRoot = process.getuid?.() === 0;
await testHere(machineIsolation(isRoot));
if (isRoot) await testHere(machineIsolation(false), 'user');
