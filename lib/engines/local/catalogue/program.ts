/** A program that services run, and where it comes from. */
export type Program = {
  name: string;
  version: string;
  /** SPDX. */
  licence: string;
  /** Debian packages whose files, with those of all that they depend on, make the program's root. */
  packages: readonly string[];
  /** What stays of that root besides shared libraries: paths, or folders that end in `/`. Everything else is left out, shells too. */
  keep: readonly string[];
};
