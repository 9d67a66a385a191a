import { attackersContract } from './attackers';
import { testServicesHere } from './test-subject';

await testServicesHere(attackersContract);
