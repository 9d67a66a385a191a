// The runtime of Node.js functions: loads the handler and calls it for one event after the other.
//
// The channel is file descriptor 3: four bytes of length, big-endian, and JSON, in both directions. What the handler prints is
// the log. It is written before the answer, so that the reader knows what belongs to an event.
import { existsSync } from 'node:fs';
import net from 'node:net';
import { pathToFileURL } from 'node:url';

const SUFFIXES = ['.mjs', '.js', '.cjs', '.ts', '.mts'];
// Otherwise a handler that only writes would fill the memory with what nobody has read yet.
for (const { _handle } of [process.stdout, process.stderr]) _handle?.setBlocking?.(true);

const channel = new net.Socket({ fd: 3, readable: true, writable: true });

let facts;
let load;
let current;
let received = Buffer.alloc(0);

const framed = (text) => {
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(4 + length);
  bytes.writeUInt32BE(length);
  bytes.write(text, 4);
  return bytes;
};
const write = (text) => channel.write(framed(text));

const describe = (error) =>
  error instanceof Error
    ? { type: error.name || 'Error', message: String(error.message).slice(0, 10_000), stack: stackOf(error) }
    : { type: 'Error', message: String(error).slice(0, 10_000), stack: null };

const stackOf = ({ stack }) =>
  typeof stack === 'string'
    ? stack
        .split('\n')
        .filter((line) => !line.includes('/var/runtime/'))
        .join('\n')
        .slice(0, 20_000)
    : null;

const answer = (text) => {
  current = undefined;
  write(text);
};

function leadOut() {
  net
    .createServer({ allowHalfOpen: true }, (client) => {
      const proxy = net.connect({ path: '/run/egress.sock', allowHalfOpen: true });
      for (const [one, other] of [
        [client, proxy],
        [proxy, client],
      ]) {
        one.on('error', () => other.destroy());
        one.pipe(other);
      }
    })
    .listen(3128, '127.0.0.1')
    .unref();
}

async function find(handler) {
  const [path, ...names] = handler
    .split(/\.(.*)/s)
    .filter(Boolean)
    .flatMap((part, index) => (index === 0 ? [part] : part.split('.')));
  const file = SUFFIXES.map((suffix) => `/var/task/${path}${suffix}`).find((name) => existsSync(name));
  if (!file) throw new Error(`There is no file ${path} with one of the suffixes ${SUFFIXES.join(', ')}.`);
  const module = await import(pathToFileURL(file).href);
  const within = (root) => names.reduce((value, name) => value?.[name], root);
  const found = within(module) ?? within(module.default);
  if (typeof found !== 'function') throw new TypeError(`${file.slice(10)} exports no function ${names.join('.')}.`);
  return found;
}

async function prepare(message) {
  facts = message;
  Object.assign(process.env, facts.environment);
  if (facts.egress) leadOut();
  const ended = (error) => fail(error);
  process.on('uncaughtException', ended);
  process.on('unhandledRejection', ended);
  load = find(facts.handler);
  const handler = await load;
  answer('{"ready": true}');
  return handler;
}

/** An error that no handler has caught: the state of this process is unknown, so that it ends. */
function fail(error) {
  const text = JSON.stringify({ ready: false, error: describe(error), ends: true });
  channel.end(framed(text), () => process.exit(1));
}

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

const called = (handler, event, context) =>
  handler.length < 3
    ? handler(event, context)
    : new Promise((resolve, reject) => {
        const given = handler(event, context, (error, result) => (error ? reject(error) : resolve(result)));
        if (typeof given?.then === 'function') given.then(resolve, reject);
      });

async function serve(handler, message) {
  current = message;
  let text;
  try {
    const result = await called(handler, message.event, contextOf(message));
    text = marshalled(result);
  } catch (error) {
    text = JSON.stringify({ error: describe(error) });
  }
  if (current === message) answer(text);
}

function marshalled(result) {
  try {
    const text = `{"result": ${JSON.stringify(result) ?? 'null'}}`;
    return Buffer.byteLength(text) > facts.result_bytes ? JSON.stringify({ too_large: Buffer.byteLength(text) }) : text;
  } catch (error) {
    const message = `The result of the handler cannot be written as JSON: ${error?.message}`;
    return JSON.stringify({ error: { type: 'Runtime.MarshalError', message, stack: null } });
  }
}

let handler;
const take = (message) => {
  if (handler) handler.then((found) => serve(found, message));
  else {
    handler = prepare(message);
    handler.catch(fail);
  }
};

channel.on('data', (piece) => {
  received = received.length === 0 ? piece : Buffer.concat([received, piece]);
  while (received.length >= 4) {
    const length = received.readUInt32BE();
    if (received.length < 4 + length) return;
    const message = JSON.parse(received.toString('utf8', 4, 4 + length));
    received = received.subarray(4 + length);
    take(message);
  }
});
channel.on('end', () => process.exit(0));
channel.on('error', () => process.exit(0));
