export interface WizardStep<Name extends string = string> {
  name: Name;
  label: string;
  /** Why the steps after this one are not open yet; undefined once this one is complete. */
  missing?: string | undefined;
}

/** Positions up to the first step that lacks something are open. */
export function openSteps(steps: readonly WizardStep[]): number {
  const incomplete = steps.findIndex(({ missing }) => missing !== undefined);
  return incomplete < 0 ? steps.length - 1 : incomplete;
}

/** The step that an address asks for; one that is not open yet, or unknown, leads to the last that is. */
export function stepOf(steps: readonly WizardStep[], asked: string | null): number {
  const position = asked === null ? 0 : steps.findIndex(({ name }) => name === asked);
  return position < 0 ? 0 : Math.min(position, openSteps(steps));
}
