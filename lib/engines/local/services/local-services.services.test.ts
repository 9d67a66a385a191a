import { serviceIsolation } from '../../contract/isolation/services';
import { testServicesHere } from './test-subject';

await testServicesHere(({ subject }) => serviceIsolation('local, as this user', async () => subject));
