import type { ProgramRef } from '@/lib/hosts/services/engine';
import type { FunctionTemplate, Runtime } from './schema';

const PYTHON = `def handler(event, context):
    name = event.get("name", "world")
    print(f"Greeting {name}")
    return {"message": f"Hello, {name}!", "request_id": context.aws_request_id}
`;

const NODE = `export async function handler(event, context) {
  const name = event.name ?? 'world';
  console.log(\`Greeting \${name}\`);
  return { message: \`Hello, \${name}!\`, request_id: context.awsRequestId };
}
`;

const DENO = `export async function handler(event: { name?: string }, context: { requestId: string }) {
  const name = event.name ?? 'world';
  console.log(\`Greeting \${name}\`);
  return { message: \`Hello, \${name}!\`, request_id: context.requestId };
}
`;

/** Templates of functions (services.md, section 6). An id is never given to another one. */
export const templates: readonly FunctionTemplate[] = [
  {
    id: 'python3.11',
    runtime: 'python3.11',
    name: 'Python 3.11',
    status: 'active',
    handler: 'main.handler',
    file: 'main.py',
    example: PYTHON,
    description: 'CPython with its standard library. Handlers take an event and a context.',
  },
  {
    id: 'nodejs24',
    runtime: 'nodejs24',
    name: 'Node.js 24',
    status: 'active',
    handler: 'index.handler',
    file: 'index.mjs',
    example: NODE,
    description: 'ES modules and CommonJS. `fetch` uses the proxy of outbound functions.',
  },
  {
    id: 'deno2',
    runtime: 'deno2',
    name: 'Deno 2',
    status: 'active',
    handler: 'main.handler',
    file: 'main.ts',
    example: DENO,
    description: 'TypeScript without a build. Modules come from the code and its layers alone.',
  },
  {
    id: 'nodejs20',
    runtime: 'nodejs20',
    name: 'Node.js 20',
    status: 'deprecated',
    handler: 'index.handler',
    file: 'index.mjs',
    example: NODE,
    description: 'For functions that have it already. Use Node.js 24 for new ones.',
  },
];

export const findTemplate = (id: string): FunctionTemplate | undefined => templates.find((one) => one.id === id);

/** The program of the catalogue that runs a runtime's functions. */
export const programOf: Readonly<Record<Runtime, ProgramRef>> = {
  'python3.11': { name: 'python', version: '3.11' },
  nodejs24: { name: 'node', version: '24' },
  nodejs20: { name: 'node', version: '20' },
  deno2: { name: 'deno', version: '2' },
};
