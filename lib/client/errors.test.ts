import { describe, expect, test } from 'vitest';
import { readError, splitByField } from './errors';

const answer = (status: number, body: string) => new Response(body, { status, headers: { 'x-request-id': 'req-1' } });

describe('an error answer', () => {
  test('keeps code, message and the request id for support', async () => {
    const record = {
      error: { code: 'CONFLICT', message: 'The name is taken.', status: 409, timestamp: '2026-11-21T08:00:00Z' },
    };
    const error = await readError(answer(409, JSON.stringify(record)));
    expect(error).toMatchObject({ code: 'CONFLICT', message: 'The name is taken.', status: 409, requestId: 'req-1' });
    expect(error.passing).toBe(false);
  });

  test('a quota breach differs from a missing permission', async () => {
    const error = await readError(answer(403, '{"detail":"Quota exceeded for instances: limit 10, in use 10."}'));
    expect(error).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: 'Quota exceeded for instances: limit 10, in use 10.',
    });
  });

  test('an answer of Prometheus keeps its type and message', async () => {
    const error = await readError(
      answer(400, '{"status":"error","errorType":"bad_data","error":"1:4: parse error: …"}'),
    );
    expect(error).toMatchObject({ code: 'bad_data', message: '1:4: parse error: …', status: 400 });
  });

  test('an error page of a proxy becomes a sentence', async () => {
    const error = await readError(answer(502, '<html>Bad gateway</html>'));
    expect(error).toMatchObject({ code: 'HTTP_502', status: 502, passing: true });
    expect(error.message).not.toContain('<');
  });
});

describe("the server's message appears at the field that it names", () => {
  const fields = ['name', 'size_gb', 'rules'];

  test('each field gets its own part', () => {
    const { byField, rest } = splitByField('name: must not be empty. size_gb: At least 1 GB.', fields);
    expect(Object.fromEntries(byField)).toEqual({ name: 'Must not be empty.', size_gb: 'At least 1 GB.' });
    expect(rest).toBe('');
  });

  test('a nested field counts as the field that contains it', () => {
    for (const name of ['rules.0.cidr', 'rules[0].cidr', 'rules[0]']) {
      const { byField } = splitByField(`${name}: Not an IPv4 range.`, fields);
      expect(Object.fromEntries(byField)).toEqual({ rules: 'Not an IPv4 range.' });
    }
  });

  test('a message that names no field of the form stays whole', () => {
    const message = 'Unknown field "nmae". Note: it may be a typo.';
    expect(splitByField(message, fields)).toEqual({ byField: new Map(), rest: message });
  });
});
