import { serviceSemantics } from '../../contract/semantics/services';
import { shellServers } from './shell-servers';
import { testServicesAsOrdinaryUser } from './test-subject';

await testServicesAsOrdinaryUser(({ host, subject }) =>
  serviceSemantics('local, as an ordinary user', async () => shellServers(host, subject)),
);
