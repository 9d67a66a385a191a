import { it } from 'vitest';
import { serviceSemantics } from '../../contract/semantics/services';
import { shellServers } from './shell-servers';
import { becomeOrdinaryUser, testServicesHere } from './test-subject';

if (becomeOrdinaryUser())
  await testServicesHere(({ host, subject }) =>
    serviceSemantics('local, as an ordinary user', async () => shellServers(host, subject)),
  );
else it.skip('tested as this user', () => {});
