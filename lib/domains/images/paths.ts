import { inProject } from '@/lib/address';

/** Addresses of the pages of this domain. */
export const imagesPaths = {
  images: (project: string) => inProject(project, 'compute/images'),
  uploadImage: (project: string) => inProject(project, 'compute/images/upload'),
  image: (project: string, id: string) => inProject(project, `compute/images/${id}`),
};
