'use client';

import { CreateInstanceLink } from '@/components/compute/create-instance-link';
import { InvitationsCard } from '@/components/invitations/invitations-card';
import { Page } from '@/components/kit/page/page';
import { Checklist } from '@/components/overview/checklist';
import { Month } from '@/components/overview/month';
import { QuotaOverview } from '@/components/overview/quota-overview';
import { RecentActivity } from '@/components/overview/recent-activity';
import { useProject } from '@/lib/client/project';

/** The first page of a project: what it costs, what it uses of what it may, and what happened lately. */
export default function OverviewPage() {
  const { project } = useProject();
  return (
    <Page
      title={project.name}
      description="Costs, quota and recent activity of this project."
      actions={<CreateInstanceLink />}
    >
      <div className="space-y-6">
        <InvitationsCard />
        <Checklist />
        <Month />
        <QuotaOverview />
        <RecentActivity />
      </div>
    </Page>
  );
}
