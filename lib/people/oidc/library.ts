/*
 * The library warns of Node before 22. Its other requirements are met by Node 20.19, on which the tests of this folder
 * pass, so it is loaded only here, without that warning.
 */
const { warn } = console;
console.warn = (...message: unknown[]) => {
  if (!String(message[0]).includes('Unsupported runtime')) warn(...message);
};
const library = await import('oidc-provider').finally(() => {
  console.warn = warn;
});

export const { default: Provider, errors, interactionPolicy } = library;
export type Provider = InstanceType<typeof Provider>;
