import { expect, test } from 'vitest';
import { databaseEngines } from '@/lib/domains/databases/engines';
import { snippetsOf, type Target } from './snippets';

const target = (engine: Target['engine']): Target => ({
  engine,
  name: 'orders',
  host: '10.0.0.12',
  port: 5432,
  uri: `${engine}://app@10.0.0.12:5432/app`,
  username: 'app',
  database: 'app',
});

test.each(databaseEngines)('every snippet of %s but the URI verifies the CA of the cluster', (engine) => {
  for (const { name, code, needs } of snippetsOf(target(engine))) {
    if (name !== 'uri') expect(`${code} ${needs}`).toContain('orders-ca.pem');
  }
});

test.each(databaseEngines)('every snippet of %s names its address, and no value of a password', (engine) => {
  for (const { code } of snippetsOf(target(engine))) {
    expect(code).toContain('10.0.0.12');
    expect(code).not.toMatch(/password\s*[:=]\s*['"]/i);
  }
});
