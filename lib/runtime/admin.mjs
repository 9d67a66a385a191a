import { loadTypeScript, prepareCheckout } from './install.mjs';

prepareCheckout();
await loadTypeScript();
const { administer } = await import('./admin.ts');
await administer(process.argv.slice(2));
