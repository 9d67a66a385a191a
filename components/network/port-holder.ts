import type { Port } from './types';

const WORDS: Readonly<Record<string, string>> = {
  instance: 'Instance',
  load_balancer: 'Load balancer',
  load_balancer_node: 'Load balancer node',
  database_cluster: 'Database',
  database_member: 'Database member',
  function: 'Function',
};

/** What a port is attached to, for example "Load balancer node shop-1". */
export const holderOf = ({ attached_to: { kind, name } }: Pick<Port, 'attached_to'>): string =>
  `${WORDS[kind] ?? kind.replaceAll('_', ' ')} ${name}`;
