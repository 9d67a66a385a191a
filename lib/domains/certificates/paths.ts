import { inProject, withQuery } from '@/lib/address';

/** Addresses of the pages of this domain. */
export const certificatesPaths = {
  certificates: (project: string, shown?: { search: string }) =>
    withQuery(inProject(project, 'network/certificates'), shown),
  newCertificate: (project: string) => inProject(project, 'network/certificates/new'),
  certificate: (project: string, id: string) => inProject(project, `network/certificates/${id}`),
};
