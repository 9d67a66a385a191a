import { serviceSemantics } from '../../contract/semantics/services';
import { shellServers } from './shell-servers';
import { testServicesHere } from './test-subject';

await testServicesHere(({ host, subject }) =>
  serviceSemantics('local, as this user', async () => shellServers(host, subject)),
);
