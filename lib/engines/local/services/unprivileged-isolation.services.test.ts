import { attackersContract } from './attackers';
import { testServicesAsOrdinaryUser } from './test-subject';

await testServicesAsOrdinaryUser(attackersContract);
