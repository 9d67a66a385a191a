/**
 * The action of an audit entry in its standard form: `secret.create`. An endpoint without an action is a read, recorded
 * only when refused; its action derives from the operation ID: `listSecrets` becomes `secret.list`.
 */
export function auditAction({ audit, operation_id }: { audit?: string | undefined; operation_id: string }): string {
  if (audit !== undefined) return audit;
  if (operation_id === 'whoAmI') return 'account.read';
  const [verb = '', ...words] = operation_id.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  const thing = words.join('_');
  if (thing === '') return verb;
  return verb === 'list' ? `${singular(thing)}.list` : `${thing}.${verb === 'get' ? 'read' : verb}`;
}

function singular(thing: string): string {
  return thing.endsWith('ies') ? `${thing.slice(0, -3)}y` : thing.replace(/s$/, '');
}
