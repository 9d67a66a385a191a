import { readFileSync } from 'node:fs';
import { replaceEngines } from '@/lib/engines/engines';
import { PROGRAMS } from '@/lib/engines/local/catalogue/catalogue';
import { openLocalEngine } from '@/lib/engines/local/local-engine';
import { LocalServices } from '@/lib/engines/local/services/local-services';
import type { WantedService } from '@/lib/hosts/services/engine';
import { host, options, shell } from './balancer-world';
import { runDatabaseAgent } from './database-agent';

/*
 * The worker and agent of database clusters as a process of its own, for tests that kill it. MACHINES names the file with the
 * cell's other services.
 */
const file = process.env.MACHINES ?? '';
replaceEngines({ ...openLocalEngine(options), services: new LocalServices(host, [...PROGRAMS, shell]) });
runDatabaseAgent(() => JSON.parse(readFileSync(file, 'utf8')) as WantedService[]);
process.send?.('ready');
