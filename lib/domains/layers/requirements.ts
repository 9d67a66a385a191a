/** Runtimes that a package index has packages for; functions of any runtime may use an archive. */
export const runtimes = ['python3.11', 'nodejs24', 'nodejs20'] as const;
export type LayerRuntime = (typeof runtimes)[number];

export const isPython = (runtime: LayerRuntime) => runtime.startsWith('python');

/** A name with extras and versions (PEP 508), and nothing that leads elsewhere than to the index: no URL, path or option. */
const PIP =
  /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9._,-]+\])? ?(?:(?:===?|~=|!=|<=?|>=?) ?[A-Za-z0-9.*+!_-]+(?:, ?(?=[=~!<>]))?)*$/;

/** A name, possibly with a scope, and a version or range. */
const NPM = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*(?:@[\^~]?[A-Za-z0-9.*+_-]+)?$/i;

/** Why a runtime's package client can't take a requirement; undefined where it can. */
export function requirementTrouble(runtime: LayerRuntime, text: string): string | undefined {
  if (isPython(runtime)) {
    return PIP.test(text) ? undefined : 'must be a package with a version, such as requests==2.32.3.';
  }
  return NPM.test(text) ? undefined : 'must be a package with a version, such as lodash@4.17.21.';
}

/** A requirement's package and range, as `package.json` has them. */
export function npmDependency(text: string): [name: string, range: string] {
  const at = text.lastIndexOf('@');
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : [text, '*'];
}
