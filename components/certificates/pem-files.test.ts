import { expect, test } from 'vitest';
import { certificateProblem, domainsOf, domainsProblem, keyProblem, sortPem } from './pem-files';

const block = (label: string) => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`;

test('files are sorted into the chain and the key, whatever is in which', () => {
  const both = `subject=x\n${block('EC PRIVATE KEY')}${block('CERTIFICATE')}`;
  expect(sortPem([both, block('CERTIFICATE')])).toEqual({
    certificate_pem: block('CERTIFICATE').repeat(2),
    private_key_pem: block('EC PRIVATE KEY'),
  });
});

test('a key in the field of the certificate, an encrypted key and no PEM are noticed at once', () => {
  expect(certificateProblem(block('CERTIFICATE'))).toBeUndefined();
  expect(certificateProblem(block('PRIVATE KEY'))).toContain('Keys go into the field below');
  expect(certificateProblem('x')).toContain('Must begin with');
  expect(keyProblem(block('RSA PRIVATE KEY'))).toBeUndefined();
  expect(keyProblem(block('ENCRYPTED PRIVATE KEY'))).toContain('is encrypted');
  expect(keyProblem(block('CERTIFICATE'))).toContain('Must begin with');
});

test('host names are separated by lines, commas or spaces, and wildcards are refused', () => {
  expect(domainsOf('A.example.com,\n b.example.com ')).toEqual(['a.example.com', 'b.example.com']);
  expect(domainsProblem('a.example.com')).toBeUndefined();
  expect(domainsProblem(' ')).toBe('Enter a host name.');
  expect(domainsProblem('a.example.com *.example.com')).toContain('*.example.com: wildcards');
});
