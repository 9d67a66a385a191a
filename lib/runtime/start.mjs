import { loadTypeScript, prepareCheckout } from './install.mjs';

prepareCheckout();
await loadTypeScript();
const { start } = await import('./supervisor.ts');
await start({ dev: process.argv.includes('--dev') });
