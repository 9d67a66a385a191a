const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/** The certificates and the private keys in texts, such as those of dropped files, each as one PEM. */
export function sortPem(texts: readonly string[]): { certificate_pem: string; private_key_pem: string } {
  const blocks = texts.flatMap((text) => [...text.matchAll(BLOCK)].map(([block, label = '']) => ({ block, label })));
  const joined = (wanted: (label: string) => boolean) =>
    blocks.flatMap(({ block, label }) => (wanted(label) ? `${block}\n` : [])).join('');
  return {
    certificate_pem: joined((label) => label === 'CERTIFICATE'),
    private_key_pem: joined((label) => label.endsWith('PRIVATE KEY')),
  };
}

/** What is wrong with a pasted chain, as far as a browser can tell. */
export function certificateProblem(text: string): string | undefined {
  if (text.trim() === '') return 'Paste the certificate, or choose its file.';
  if (sortPem([text]).private_key_pem !== '') return 'This has a private key in it. Keys go into the field below.';
  return sortPem([text]).certificate_pem === '' ? 'Must begin with -----BEGIN CERTIFICATE-----' : undefined;
}

/** What is wrong with a pasted key, as far as a browser can tell. */
export function keyProblem(text: string): string | undefined {
  if (text.trim() === '') return 'Paste the private key, or choose its file.';
  if (text.includes('ENCRYPTED')) return 'The key is encrypted. Decrypt it first: openssl pkey -in key.pem';
  return sortPem([text]).private_key_pem === '' ? 'Must begin with -----BEGIN PRIVATE KEY-----' : undefined;
}

/** The host names of a text, one per line or separated by commas or spaces. */
export const domainsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);

/** What is wrong with host names that are to be ordered. */
export function domainsProblem(text: string): string | undefined {
  const domains = domainsOf(text);
  if (domains.length === 0) return 'Enter a host name.';
  const wildcard = domains.find((domain) => domain.startsWith('*'));
  return wildcard && `${wildcard}: wildcards can’t be ordered. Upload such a certificate.`;
}
