import { describe, expect, test } from 'vitest';
import { curlCommand, initialValues, listPaths, requestForm } from '@/components/reference/request';
import { endpoints } from '@/lib/platform/endpoints';
import { tags } from '@/lib/platform/tags';
import { openApiDocument } from './openapi';
import { type ReferenceField, type ReferenceShape, reference } from './reference';

const groups = reference(openApiDocument(endpoints, tags, 'https://cloud.example.com'), tags);
const operations = groups.flatMap((group) => group.operations);
const lists = listPaths(groups);
const operation = (id: string) => {
  const found = operations.find((candidate) => candidate.id === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
};

describe('the reference', () => {
  test('has every endpoint once, at an address of its own', () => {
    expect(operations.map(({ id }) => id).toSorted()).toEqual(endpoints.map((e) => e.operation_id).toSorted());
    expect(new Set(groups.map(({ slug }) => slug)).size).toBe(groups.length);
    expect(groups.map(({ slug }) => slug).filter((slug) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug))).toEqual([]);
  });

  test('shows an example of every body that its endpoint accepts', () => {
    const refused = endpoints.flatMap(({ operation_id, body }) => {
      const { example } = operation(operation_id).body ?? {};
      return body && example !== undefined && !body.safeParse(JSON.parse(example)).success ? [operation_id] : [];
    });
    expect(operations.filter(({ body }) => body?.example !== undefined).length).toBeGreaterThan(30);
    expect(refused).toEqual([]);
  });

  test('shows an example of every answer that its endpoint may return', () => {
    const wrong = endpoints.flatMap(({ operation_id, responses }) =>
      operation(operation_id).answers.flatMap(({ status, body }) => {
        const schema = responses[Number(status)];
        const checkable = schema && !('stream' in schema) && !('alternative' in schema) && body?.example !== undefined;
        return checkable && !schema.safeParse(JSON.parse(body.example ?? '')).success ? [operation_id] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('has a type for every field', () => {
    const fields = (shape: ReferenceShape): ReferenceField[] => [
      ...shape.fields.flatMap((field) => [field, ...fields(field)]),
      ...shape.variants.flatMap(fields),
    ];
    const all = operations.flatMap(({ parameters, body, answers }) => [
      ...parameters,
      ...(body ? fields(body.shape) : []),
      ...answers.flatMap(({ body: answered }) => (answered ? fields(answered.shape) : [])),
    ]);
    expect(all.length).toBeGreaterThan(500);
    expect(all.filter(({ type }) => /undefined|object Object|^$/.test(type)).map(({ name }) => name)).toEqual([]);
  });

  test('states limits and values in plain words', () => {
    const [name] = operation('createVolume').body?.shape.fields.filter((field) => field.name === 'size_gb') ?? [];
    expect(name).toMatchObject({ type: 'integer', facts: ['1 to 16,384'] });
    const limit = operation('listInstances').parameters.find((parameter) => parameter.name === 'limit');
    expect(limit).toMatchObject({
      in: 'query',
      required: false,
      facts: expect.arrayContaining(['1 to 200', 'default 50']),
    });
  });
});

test.each([
  ['getInstance', 'id', '/api/v1/compute/instances'],
  ['resizeVolume', 'id', '/api/v1/storage/volumes'],
  ['listInstances', 'network_id', '/api/v1/network/networks'],
  ['listPorts', 'security_group_id', '/api/v1/network/security-groups'],
  ['suspendTenant', 'tenant_id', '/admin/api/v1/tenants'],
  ['listUsage', 'resource_id', undefined],
])('the form of %s offers for %s the IDs of %s', (id, name, path) => {
  const found = requestForm(operation(id), lists).parameters.find((parameter) => parameter.name === name);
  expect(found).toBeDefined();
  expect(found?.listed_by).toBe(path);
});

test('the form of a request offers the values of an enum', () => {
  const status = requestForm(operation('listInstances'), lists).parameters.find(({ name }) => name === 'status');
  expect(status?.values).toContain('active');
});

describe('the command of a request', () => {
  const form = requestForm(operation('createSecret'), lists);

  test('keeps the credential in a variable', () => {
    expect(curlCommand(form, 'https://cloud.example.com', initialValues(form))).toContain('Bearer $NEPHELE_TOKEN');
    expect(curlCommand(requestForm(operation('login'), lists), '', { parameters: {}, body: '{}' })).not.toContain(
      'Bearer',
    );
  });

  test('quotes input so that a shell cannot interpret it', () => {
    const command = curlCommand(form, '', { parameters: { 'Idempotency-Key': "$(id)'; id" }, body: "it's `id`" });
    expect(command).toContain(`-H 'Idempotency-Key: $(id)'\\''; id'`);
    expect(command).toContain(`-d 'it'\\''s \`id\`'`);
  });

  test('puts parameters where they belong, and omits empty ones', () => {
    const list = requestForm(operation('listInstances'), lists);
    expect(curlCommand(list, '', { parameters: { status: 'active', name: ' ' }, body: '' })).toContain(
      `'/api/v1/compute/instances?status=active'`,
    );
    const one = requestForm(operation('getInstance'), lists);
    expect(curlCommand(one, '', { parameters: { id: 'a/b' }, body: '' })).toContain('/compute/instances/a%2Fb');
    expect(curlCommand(one, '', { parameters: {}, body: '' })).toContain('/compute/instances/{id}');
  });
});
