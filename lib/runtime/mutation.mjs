import { loadTypeScript, prepareCheckout } from './install.mjs';

prepareCheckout();
await loadTypeScript();
const { testByMutation } = await import('./mutation.ts');
testByMutation(process.argv.slice(2));
