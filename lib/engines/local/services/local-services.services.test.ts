import { servicesContract } from '../../contract/services';
import { testServicesHere } from './test-subject';

await testServicesHere(({ subject }) => servicesContract('local, as this user', async () => subject));
