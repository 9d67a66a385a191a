import { CreateLink } from '@/components/kit/page/create-link';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** The link to the form of a new instance. */
export function CreateInstanceLink() {
  const { project } = useProject();
  return <CreateLink label="Create instance" href={paths.newInstance(project.slug)} operation="createInstance" />;
}
