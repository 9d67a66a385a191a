import { CreateLink } from '@/components/kit/page/create-link';
import { useFreeze } from '@/components/pricing/freeze';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

/** The way to a new instance, or why there is none now. */
export function CreateInstanceLink() {
  const { project } = useProject();
  const frozen = useFreeze();
  return (
    <CreateLink
      label="Create instance"
      href={paths.newInstance(project.slug)}
      disabledReason={project.role === 'reader' ? 'Requires the member role.' : frozen}
    />
  );
}
