import { NextRequest } from 'next/server';
import { expect, test } from 'vitest';
import { GET } from '@/app/api/auth/[...nextauth]/route';

test.each(['password', 'second-factor', 'nothing'])(
  'opening the callback of %s in a browser gives a standard error record',
  async (provider) => {
    const request = new NextRequest(`http://localhost/api/auth/callback/${provider}?email=a@b.test&password=x`);
    const answer = await GET(request, { params: Promise.resolve({ nextauth: ['callback', provider] }) });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await answer.json()).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED', status: 405 } });
  },
);
