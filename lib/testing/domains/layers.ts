import { newId } from '@/lib/core/db/id';
import { created, type DomainTesting, member } from '../fixture';

export const layersTesting: DomainTesting = {
  fixtures: {
    '/layers/{id}': (project, call) => created(member(project, call, '/layers', { name: `fixture ${newId()}` })),
  },
};
