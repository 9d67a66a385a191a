import { type HttpRequest, loadHttp } from './load';

/* PORT SECONDS REQUESTS as JSON, and the address if it is not this host's. Prints the load as JSON. */
const [port, seconds, requests = '[]', address] = process.argv.slice(2);
const load = await loadHttp(Number(port), JSON.parse(requests) as HttpRequest[], Number(seconds), { address });
console.log(JSON.stringify(load));
