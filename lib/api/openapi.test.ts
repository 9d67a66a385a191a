import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { endpoints } from './endpoints';
import { openApiDocument } from './openapi';

const document = openApiDocument(endpoints, 'https://cloud.example.org');

test('the OpenAPI document is valid and clean by the recommended rules', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
  const said = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
  expect(said).toEqual([]);
});

test('every endpoint is in it, with its successes and its refusals', () => {
  const { paths } = document as { paths: Record<string, Record<string, { operationId: string; responses: object }>> };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
    endpoints.map(({ operation_id }) => operation_id).sort(),
  );
  for (const { responses } of operations) expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '429']));
});
