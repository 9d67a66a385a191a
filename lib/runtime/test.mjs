import { loadTypeScript, prepareCheckout } from './install.mjs';

prepareCheckout();
await loadTypeScript();
const { runTests } = await import('./test.ts');
await runTests();
