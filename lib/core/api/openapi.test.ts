import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { endpoints } from '@/lib/platform/endpoints';
import { tags } from '@/lib/platform/tags';
import { openApiDocument } from './openapi';

const document = openApiDocument(endpoints, tags, 'https://cloud.example.org');

test('the OpenAPI document is valid and clean by the recommended rules', async () => {
  // Spec 4.3 has `security-groups/{id}/rules` beside `security-groups/rules/{rule_id}`.
  const config = await createConfig({ extends: ['recommended'], rules: { 'no-ambiguous-paths': 'off' } });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
  const said = problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
  expect(said).toEqual([]);
});

test('the OpenAPI document has every endpoint with its success and error responses', () => {
  const { paths } = document as { paths: Record<string, Record<string, { operationId: string; responses: object }>> };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
    endpoints.map(({ operation_id }) => operation_id).sort(),
  );
  for (const { responses } of operations) {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '429']));
    expect(responses).toMatchObject({
      429: { headers: { 'Retry-After': {} } },
      503: { headers: { 'Retry-After': {} } },
    });
  }
});
