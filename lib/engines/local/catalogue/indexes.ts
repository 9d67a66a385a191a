import { readFile } from 'node:fs/promises';
import { run } from '../exec';
import { clientConfiguration } from './registries';

/** Where a client of packages fetches from on this host, as the operator has configured it. */
export type PackageIndex = {
  /** URLs, the main one first; they may have credentials. */
  urls: string[];
  /** Hosts that it is sent to, with those that serve the files of its index. */
  hosts: string[];
  /** Certificates of authorities in PEM; null: those that the client brings along. */
  authorities: string | null;
};

/** The clients' own defaults. The files of Python's index are at a host of their own. */
const PYTHON_INDEX = 'https://pypi.org/simple';
const PYTHON_FILES = 'files.pythonhosted.org';
const NODE_INDEX = 'https://registry.npmjs.org/';

/** The index that pip uses: its environment, its configuration files, or its default. */
export async function pythonIndex(): Promise<PackageIndex> {
  const environment = clientConfiguration();
  const listed = await run(['python3', '-m', 'pip', 'config', 'list'], { environment }).catch(() => '');
  const setting = (name: string) =>
    environment[`PIP_${name.replaceAll('-', '_').toUpperCase()}`] ??
    new RegExp(`^(?:global|install|:env:)\\.${name}='(.*)'$`, 'm').exec(listed)?.[1];
  const main = setting('index-url') ?? PYTHON_INDEX;
  const urls = [main, ...(setting('extra-index-url') ?? '').split(/\s+|\\n/)].filter((url) => URL.canParse(url));
  const hosts = hostsOf(urls);
  if (hosts.includes(new URL(PYTHON_INDEX).hostname)) hosts.push(PYTHON_FILES);
  return { urls, hosts, authorities: await authoritiesIn(setting('cert'), environment) };
}

/** The registry that npm uses. */
export async function nodeIndex(): Promise<PackageIndex> {
  const environment = clientConfiguration();
  const ask = async (name: string) => {
    const said = (await run(['npm', 'config', 'get', name], { environment }).catch(() => '')).trim();
    return said === '' || said === 'null' || said === 'undefined' ? undefined : said;
  };
  const registry = (await ask('registry')) ?? NODE_INDEX;
  const authorities = await authoritiesIn((await ask('cafile')) ?? environment.NODE_EXTRA_CA_CERTS, environment);
  return { urls: [registry], hosts: hostsOf([registry]), authorities };
}

const hostsOf = (urls: readonly string[]) => [...new Set(urls.map((url) => new URL(url).hostname))];

async function authoritiesIn(file: string | undefined, environment: Record<string, string>): Promise<string | null> {
  for (const path of [file, environment.SSL_CERT_FILE]) {
    const found = path === undefined ? '' : await readFile(path, 'utf8').catch(() => '');
    if (found !== '') return found;
  }
  return null;
}
