const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
const DNS_NAME = new RegExp(`^(\\*\\.)?${LABEL}(\\.${LABEL})*$`);

/** Whether the text is a host name in lower case, or a wildcard for one label. */
export const isDnsName = (name: string): boolean => name.length <= 253 && DNS_NAME.test(name);

/** Whether the names of a certificate cover a host. A wildcard covers exactly one label (RFC 9525, 6.3). */
export function coversHost(names: readonly string[], host: string): boolean {
  const wanted = host.toLowerCase();
  const parent = wanted.slice(wanted.indexOf('.') + 1);
  return names.some((name) => name === wanted || (wanted.includes('.') && name === `*.${parent}`));
}
