// The runtime of Deno functions: loads the handler and calls it for one event after the other.
//
// The channel is the socket /run/channel.sock: four bytes of length, big-endian, and JSON, in both directions. What the handler
// prints is the log, which is written before the answer.
const SUFFIXES = ['.ts', '.mts', '.js', '.mjs', '.tsx', '.jsx'];
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const channel = await Deno.connect({ transport: 'unix', path: '/run/channel.sock' });

async function receive(size) {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; ) {
    const read = await channel.read(bytes.subarray(at));
    if (read === null) Deno.exit(0);
    at += read;
  }
  return bytes;
}

async function read() {
  const head = await receive(4);
  return JSON.parse(decoder.decode(await receive(new DataView(head.buffer).getUint32(0))));
}

async function send(bytes) {
  for (let at = 0; at < bytes.length; ) at += await channel.write(bytes.subarray(at));
}

async function write(text) {
  const body = encoder.encode(text);
  const bytes = new Uint8Array(4 + body.length);
  new DataView(bytes.buffer).setUint32(0, body.length);
  bytes.set(body, 4);
  await send(bytes);
}

const describe = (error) =>
  error instanceof Error
    ? {
        type: error.name || 'Error',
        message: String(error.message).slice(0, 10_000),
        stack: String(error.stack)
          .split('\n')
          .filter((line) => !line.includes('/var/runtime/'))
          .join('\n')
          .slice(0, 20_000),
      }
    : { type: 'Error', message: String(error).slice(0, 10_000), stack: null };

async function leadOut() {
  for await (const client of Deno.listen({ hostname: '127.0.0.1', port: 3128 })) {
    Deno.connect({ transport: 'unix', path: '/run/egress.sock' }).then(
      (proxy) => {
        client.readable.pipeTo(proxy.writable).catch(() => {});
        proxy.readable.pipeTo(client.writable).catch(() => {});
      },
      () => client.close(),
    );
  }
}

async function find(handler) {
  const [path = '', ...names] = handler.split('.');
  const file = SUFFIXES.map((suffix) => `/var/task/${path}${suffix}`).find((name) => {
    try {
      return Deno.statSync(name).isFile;
    } catch {
      return false;
    }
  });
  if (!file) throw new Error(`There is no file ${path} with one of the suffixes ${SUFFIXES.join(', ')}.`);
  const module = await import(`file://${file}`);
  const within = (root) => names.reduce((value, name) => value?.[name], root);
  const found = within(module) ?? within(module.default);
  if (typeof found !== 'function') throw new TypeError(`${file.slice(10)} exports no function ${names.join('.')}.`);
  return found;
}

const facts = await read();

async function fail(error) {
  await write(JSON.stringify({ ready: false, error: describe(error), ends: true }));
  Deno.exit(1);
}
globalThis.addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  fail(event.reason);
});
globalThis.addEventListener('error', (event) => {
  event.preventDefault();
  fail(event.error);
});

for (const [name, value] of Object.entries(facts.environment)) Deno.env.set(name, value);
if (facts.egress) leadOut().catch(() => {});

const contextOf = ({ id, deadline_ms }) => ({
  functionName: facts.name,
  functionVersion: String(facts.version),
  memoryLimitInMB: String(facts.memory_mb),
  invokedFunctionArn: facts.name,
  logGroupName: facts.name,
  logStreamName: String(facts.version),
  awsRequestId: id,
  requestId: id,
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline_ms - Date.now()),
});

function marshalled(result) {
  try {
    const text = `{"result": ${JSON.stringify(result) ?? 'null'}}`;
    const size = encoder.encode(text).length;
    return size > facts.result_bytes ? JSON.stringify({ too_large: size }) : text;
  } catch (error) {
    const message = `The result of the handler cannot be written as JSON: ${error?.message}`;
    return JSON.stringify({ error: { type: 'Runtime.MarshalError', message, stack: null } });
  }
}

let handler;
try {
  handler = await find(facts.handler);
} catch (error) {
  await fail(error);
}
await write('{"ready": true}');

for (;;) {
  const message = await read();
  let text;
  try {
    text = marshalled(await handler(message.event, contextOf(message)));
  } catch (error) {
    text = JSON.stringify({ error: describe(error) });
  }
  await write(text);
}
