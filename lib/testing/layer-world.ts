import { expect } from 'vitest';
import { operationsOf } from './operations';
import { sentForm } from './sent-form';
import { type Answer, api, type TestProject } from './world';

const call = api();

export const idIn = ({ status, body }: Answer): string => {
  if (typeof body !== 'object' || body === null || !('id' in body) || typeof body.id !== 'string') {
    throw new Error(`not created: ${status} ${JSON.stringify(body)}`);
  }
  return body.id;
};

/** Layers as a project's members use them. */
export const layersOf = ({ users }: TestProject) => {
  const token = users.member.token;
  return {
    list: (query = '') => call('GET', `/layers${query}`, { token: users.reader.token }),
    read: (id: string) => call('GET', `/layers/${id}`, { token: users.reader.token }),
    create: (name: string) => call('POST', '/layers', { token, body: { name } }),
    remove: (id: string) => call('DELETE', `/layers/${id}`, { token }),
    versions: (id: string, query = '') => call('GET', `/layers/${id}/versions${query}`, { token }),
    version: (id: string, version: string) => call('GET', `/layers/${id}/versions/${version}`, { token }),
    log: (id: string, version: string) => call('GET', `/layers/${id}/versions/${version}/log`, { token }),
    removeVersion: (id: string, version: string) => call('DELETE', `/layers/${id}/versions/${version}`, { token }),
    require: (id: string, runtime: string, ...requirements: string[]) =>
      call('POST', `/layers/${id}/versions`, {
        token,
        body: JSON.stringify({ runtime, requirements }),
        headers: { 'Content-Type': 'application/json' },
      }),
    upload(id: string, bytes: Uint8Array, part = 'archive') {
      const data = new FormData();
      data.append(part, new Blob([new Uint8Array(bytes)]), 'layer.zip');
      return this.send(id, data);
    },
    async send(id: string, data: FormData) {
      return call('POST', `/layers/${id}/versions`, { token, ...(await sentForm(data)) });
    },
    share: (id: string, body: object) => call('POST', `/layers/${id}/permissions`, { token, body }),
    unshare: (id: string, query: string) => call('DELETE', `/layers/${id}/permissions?${query}`, { token }),
    permissions: (id: string) => call('GET', `/layers/${id}/permissions`, { token }),
    /** Waits until the version is what it should be. */
    becomes(id: string, version: string, state: object, timeout = 20_000) {
      return expect
        .poll(
          async () => {
            const { body } = await call('GET', `/layers/${id}/versions/${version}`, { token });
            return { ...(body as object), operations: (await operationsOf(version)).map(({ error }) => error) };
          },
          { timeout, interval: 50 },
        )
        .toMatchObject(state);
    },
  };
};
