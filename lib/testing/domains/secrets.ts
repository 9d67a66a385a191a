import { created, type DomainTesting } from '../fixture';

export const secretsTesting: DomainTesting = {
  fixtures: {
    '/vault/secrets/{id}': (project, call) =>
      created(
        call('POST', '/vault/secrets', {
          token: project.users.member.token,
          body: { name: 'fixture', type: 'opaque', payload: 'x' },
        }),
      ),
  },
};
