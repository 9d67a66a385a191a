import { NoPage } from '@/components/kit/page/no-page';
import { adminPaths } from '@/lib/paths';

export default function NotFound() {
  return <NoPage site="Nephele back office" overview={adminPaths.home()} />;
}
