import { certificateUpload } from '../certificates';
import { created, type DomainTesting, member } from '../fixture';

export const certificatesTesting: DomainTesting = {
  fixtures: {
    '/gateway/certificates/{id}': async (project, call) =>
      created(member(project, call, '/gateway/certificates', await certificateUpload('fixture'))),
  },
};
