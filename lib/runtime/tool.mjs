// node lib/runtime/tool.mjs [--generate] PROGRAM ARGUMENTS…
// Runs a tool of the checkout. In a fresh clone, installs dependencies and generates code first.
import { loadTypeScript, prepareCheckout } from './install.mjs';

const args = process.argv.slice(2);
const needsCode = args[0] === '--generate';
const [program, ...rest] = needsCode ? args.slice(1) : args;

prepareCheckout();
await loadTypeScript();
if (needsCode) {
  const { generateCode } = await import('./generate.ts');
  await generateCode();
}
const { runInForeground } = await import('./run-node.ts');
const loader = program.endsWith('.ts') ? ['--import', 'tsx'] : [];
process.exitCode = await runInForeground([...loader, program, ...rest]);
