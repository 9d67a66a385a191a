/**
 * The action of an audit entry, in the one form that all entries have: `secret.create`. An endpoint without an action of
 * its own is a read, on record when it is refused; its operation ID says it: `listSecrets` is `secret.list`.
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
