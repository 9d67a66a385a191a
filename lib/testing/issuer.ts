import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { now } from '@/lib/clock';

type SigningKey = { kid: string; alg: string; privateKey: CryptoKey; jwk: JWK };

/** A real OpenID Connect issuer on this machine, with discovery, rotatable keys and tokens of any content. */
export type TestIssuer = {
  issuer: string;
  jwks_uri: string;
  /** Its public keys, as published. */
  published(): JWK[];
  /** Replaces the signing key. */
  rotate(alg?: string): Promise<void>;
  /** A token that is valid except for the given changes; `undefined` omits a claim. */
  sign(claims?: JWTPayload, header?: { kid?: string | undefined }): Promise<string>;
  /** Overrides of answers, by path. */
  answers: Map<string, { status: number; body: string }>;
  /** The number of requests, by path. */
  asked: Map<string, number>;
  close(): Promise<void>;
};

export const TEST_AUDIENCE = 'https://cloud.example.test';

export async function startIssuer(alg = 'RS256'): Promise<TestIssuer> {
  let current = await newKey(alg);
  const answers: TestIssuer['answers'] = new Map();
  const asked: TestIssuer['asked'] = new Map();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.set(path, (asked.get(path) ?? 0) + 1);
    const usual: Record<string, object> = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
      '/keys': { keys: [current.jwk] },
    };
    const { status, body } = answers.get(path) ?? {
      status: path in usual ? 200 : 404,
      body: JSON.stringify(usual[path]),
    };
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    jwks_uri: `${issuer}/keys`,
    published: () => [current.jwk],
    async rotate(next = alg) {
      current = await newKey(next);
    },
    sign(claims = {}, header = {}) {
      const at = Math.floor(now().getTime() / 1000);
      const usual = {
        iss: issuer,
        aud: TEST_AUDIENCE,
        sub: 'repo:acme/site:ref:refs/heads/main',
        iat: at,
        exp: at + 300,
      };
      const { kid, alg: algorithm } = current;
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...('kid' in header ? {} : { kid }), ...definedOf(header) })
        .sign(current.privateKey);
    },
    answers,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function definedOf({ kid }: { kid?: string | undefined }): { kid?: string } {
  return kid === undefined ? {} : { kid };
}

async function newKey(alg: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomUUID();
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}
