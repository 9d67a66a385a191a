import { type HttpRequest, loadHttp } from './load';

/* `loadApart`: PORT SECONDS REQUESTS as JSON. Prints the load as JSON. */
const [port, seconds, requests = '[]'] = process.argv.slice(2);
console.log(JSON.stringify(await loadHttp(Number(port), JSON.parse(requests) as HttpRequest[], Number(seconds))));
