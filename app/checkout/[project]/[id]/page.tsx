import { notFound, redirect } from 'next/navigation';
import { SandboxCheckout } from '@/components/billing/sandbox-checkout';
import { ProjectScope } from '@/lib/client/project';
import { mustChangePassword } from '@/lib/core/api/caller';
import { processorName } from '@/lib/money/payments/processor';
import { paths } from '@/lib/paths';
import { membershipsOf } from '@/lib/people/identity/own-account';
import { currentPerson } from '@/lib/people/identity/page-session';

interface CheckoutPageProps {
  params: Promise<{ project: string; id: string }>;
}

/** Where the sandbox stands in for a payment processor, its page: a top-up is paid here, or a card saved. */
export default async function CheckoutPage({ params }: CheckoutPageProps) {
  if (processorName() !== 'sandbox') notFound();
  const { project: projectId, id } = await params;
  const person = await currentPerson();
  if (!person) redirect(paths.signIn(paths.checkout(projectId, id)));
  if (mustChangePassword(person)) redirect(paths.initialPassword(paths.checkout(projectId, id)));
  const membership = (await membershipsOf(person.user_id)).find(
    ({ project_id, status }) => project_id === projectId && status === 'active',
  );
  if (!membership) notFound();
  const { project_slug: slug, project_name: name, project_status, role } = membership;
  return (
    <ProjectScope project={{ id: projectId, slug, name, role, status: project_status }}>
      <SandboxCheckout id={id} />
    </ProjectScope>
  );
}
