/** The types of secrets (spec 2.4), as people read them. */
export const secretTypeOptions = [
  { value: 'passphrase', label: 'Passphrase', description: 'A password or token, as text.' },
  { value: 'symmetric_key', label: 'Symmetric key', description: '128 to 512 bits, as base64.' },
  { value: 'certificate', label: 'Certificate', description: 'X.509 in PEM. Expiry is tracked.' },
  { value: 'opaque', label: 'Opaque', description: 'Any other data, up to 64 KiB.' },
] as const;

export type SecretType = (typeof secretTypeOptions)[number]['value'];

export function secretTypeLabel(type: SecretType): string {
  return secretTypeOptions.find(({ value }) => value === type)?.label ?? type;
}
