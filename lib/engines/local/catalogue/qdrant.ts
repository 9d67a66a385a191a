import type { Program, PypiSource } from './program';

/** Qdrant's own core, as releases of PyPI have it. */
export const qdrantCores: Readonly<Record<string, PypiSource>> = {
  '0.8': {
    kind: 'pypi',
    package: 'qdrant-edge-py',
    version: '0.8.0',
    sha256: '65bae2a2f028d536706d9e2c24037344154864f84e22aba244f12648b072fb83',
  },
  '0.9': {
    kind: 'pypi',
    package: 'qdrant-edge-py',
    version: '0.9.0',
    sha256: '7bc734ea493d1f92e6b8af74bc68c4f903b2ca90593f899cd1b998cd12744da4',
  },
};

/** Qdrant's core with a Python, in which the REST API of its members runs. */
export const qdrantPrograms: readonly Program[] = Object.entries(qdrantCores).map(([version, core]) => ({
  name: 'qdrant',
  version,
  licence: 'Apache-2.0 AND PSF-2.0',
  sources: [{ kind: 'debian', packages: ['python3', 'libstdc++6'] }, core],
  keep: ['usr/bin/python3', ...[10, 11, 12, 13, 14].map((minor) => `usr/bin/python3.${minor}`)],
}));
