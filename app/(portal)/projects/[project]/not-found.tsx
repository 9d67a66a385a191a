'use client';

import { NoPage } from '@/components/kit/page/no-page';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

export default function NotFound() {
  const { project } = useProject();
  return <NoPage site="Nephele" overview={paths.overview(project.slug)} />;
}
