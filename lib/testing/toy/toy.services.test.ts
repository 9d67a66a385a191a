import { toySuite } from './toy-suite';

await toySuite(process.getuid?.() === 0 ? 'root' : 'an ordinary user');
