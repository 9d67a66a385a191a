/** A slug that a name suggests: `Åcme & Sons, Ltd.` → `acme-sons-ltd`. Empty when nothing of the name can stand in one. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+/, '')
    .slice(0, 63)
    .replace(/-+$/, '');
}
