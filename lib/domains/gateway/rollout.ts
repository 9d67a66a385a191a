import type { StoredBackend, StoredRollout } from './view';

/**
 * The weights in a step of a rollout: the new backend has the step's percent, and the others share the rest in the
 * proportion that they had before.
 * @returns whole percents that add to 100
 */
export function weightsAt(
  before: Readonly<Record<string, number>>,
  { to, steps }: Pick<StoredRollout, 'to' | 'steps'>,
  step: number,
): Record<string, number> {
  const share = steps[step] ?? 100;
  const others = Object.entries(before).filter(([name]) => name !== to);
  const all = others.reduce((sum, [, weight]) => sum + weight, 0);
  // If the others had nothing, they share equally.
  const exact = others.map(([name, weight]) => ({
    name,
    part: (100 - share) * (all === 0 ? 1 / others.length : weight / all),
  }));
  const weights = new Map(exact.map(({ name, part }) => [name, Math.floor(part)]));
  let left = 100 - share - [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const byRemainder = exact.toSorted((one, other) => (other.part % 1) - (one.part % 1));
  for (const { name } of byRemainder) {
    if (left === 0) break;
    weights.set(name, (weights.get(name) ?? 0) + 1);
    left -= 1;
  }
  return Object.fromEntries([...weights, [to, share]]);
}

export const withWeights = (backends: readonly StoredBackend[], weights: Readonly<Record<string, number>>) =>
  backends.map((backend) => ({ ...backend, weight: weights[backend.name] ?? 0 }));

export const weightsOf = (backends: readonly Pick<StoredBackend, 'name' | 'weight'>[]): Record<string, number> =>
  Object.fromEntries(backends.map(({ name, weight }) => [name, weight]));
