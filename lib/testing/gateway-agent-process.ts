import { replaceEngines } from '@/lib/engines/engines';
import { PROGRAMS } from '@/lib/engines/local/catalogue/catalogue';
import { openLocalEngine } from '@/lib/engines/local/local-engine';
import { LocalServices } from '@/lib/engines/local/services/local-services';
import { host, options, shell } from './balancer-world';
import { runGatewayAgent } from './gateway-agent';

/* Worker and agent of the gateway as a process of their own, for tests that kill them. It ends with the test at the latest. */
replaceEngines({ ...openLocalEngine(options), services: new LocalServices(host, [...PROGRAMS, shell]) });
runGatewayAgent(() => []);
process.on('disconnect', () => process.exit());
process.send?.('ready');
