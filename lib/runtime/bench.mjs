import { loadTypeScript, prepareCheckout } from './install.mjs';

prepareCheckout();
await loadTypeScript();
const { runBenchmarks } = await import('../../bench/run.ts');
await runBenchmarks();
