import { loadTypeScript, prepareCheckout } from './install.mjs';

prepareCheckout();
await loadTypeScript();
const { measureCoverage } = await import('./coverage.ts');
measureCoverage(process.argv.slice(2));
