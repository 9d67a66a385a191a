'use client';

import { ArrowRight } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { CopyAs } from '@/components/kit/copy/copy-as';
import { PropertyList } from '@/components/kit/data/property-list';
import { EmptyState } from '@/components/kit/page/empty-state';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { kindIcon } from '@/components/kit/ui/kind-icon';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { Wizard } from '@/components/kit/wizard/wizard';
import { useMay } from '@/lib/client/may';
import { upgradeDatabaseCluster } from '@/lib/client/operations/dbaas';
import { useProject } from '@/lib/client/project';
import { whyNoUpgrades } from '@/lib/domains/databases/engines';
import { clusterKey } from '@/lib/domains/databases/paths';
import { formatDuration } from '@/lib/format/time';
import { paths } from '@/lib/paths';
import { CandidateCards, rollbackWords } from './candidate-cards';
import { engineLooks } from './engine-look';
import { PreflightList } from './preflight-list';
import { type Candidate, type Cluster, ofCluster, pathOf, whyNotChange } from './types';

/** Upgrades a cluster: the version, the five checks, then the start. */
export function UpgradeWizard({ cluster }: { cluster: Cluster }) {
  const { api } = useProject();
  const query = api.useQuery('get', '/api/v1/dbaas/clusters/{engine}/{ns}/{name}/upgrade-candidates', {
    params: { path: pathOf(cluster) },
  });
  return (
    <Loaded query={query} what="The versions" skeleton={<Skeleton className="h-80 w-full rounded-lg" />}>
      {(answer) => {
        // The newest version first: the API lists them from the oldest.
        const candidates = answer.toReversed();
        const [first] = candidates;
        if (!first) {
          return (
            <EmptyState icon={kindIcon('database')} title="No upgrade available">
              {whyNoUpgrades(cluster.engine) ??
                `${engineLooks[cluster.engine].label} ${cluster.version} is the newest certified version.`}
            </EmptyState>
          );
        }
        return <Steps cluster={cluster} candidates={candidates} first={first} />;
      }}
    </Loaded>
  );
}

interface StepsProps {
  cluster: Cluster;
  candidates: readonly Candidate[];
  first: Candidate;
}

function Steps({ cluster, candidates, first }: StepsProps) {
  const { api, project } = useProject();
  const router = useRouter();
  const may = useMay('upgradeDatabaseCluster');
  const path = pathOf(cluster);
  const [chosen, setChosen] = useState(first.version);
  const candidate = candidates.find(({ version }) => version === chosen) ?? first;
  const target_version = candidate.version;
  const preflight = api.useQuery('get', '/api/v1/dbaas/clusters/{engine}/{ns}/{name}/preflight', {
    params: { path, query: { target_version } },
  });
  const start = api.useMutation('post', '/api/v1/dbaas/clusters/{engine}/{ns}/{name}/upgrade');
  const begin = async () => {
    const { id } = await start.mutateAsync({ params: { path }, body: { target_version } });
    router.replace(paths.upgradeDatabase(project.slug, clusterKey(cluster), { job: id }));
  };
  const engine = engineLooks[cluster.engine].label;
  return (
    <Wizard
      label="Upgrade steps"
      steps={[
        { name: 'version', label: 'Version' },
        { name: 'checks', label: 'Checks', missing: whyNotPassed(preflight) },
        { name: 'start', label: 'Start', missing: may.reason ?? whyNotChange(cluster) },
      ]}
      finishLabel={`Upgrade to ${target_version}`}
      onFinish={() => void begin().catch(shownBelow)}
      pending={start.isPending}
    >
      {(step) => {
        if (step === 'version') {
          return <CandidateCards engine={engine} candidates={candidates} value={target_version} onChange={setChosen} />;
        }
        if (step === 'checks') {
          return (
            <Loaded query={preflight} what="The checks" skeleton={<Skeleton className="h-80 w-full rounded-lg" />}>
              {(answer) => (
                <PreflightList
                  preflight={answer}
                  checking={preflight.isFetching}
                  onCheck={() => void preflight.refetch()}
                />
              )}
            </Loaded>
          );
        }
        return (
          <div className="space-y-5">
            <Plan cluster={cluster} candidate={candidate} />
            {start.error !== null && <ErrorNotice title="The upgrade could not start" error={start.error} />}
            <CopyAs
              call={() => ({ operation: ofCluster(upgradeDatabaseCluster, cluster), body: { target_version } })}
            />
          </div>
        );
      }}
    </Wizard>
  );
}

/** The mutation keeps the error, and the step shows it. */
function shownBelow(): void {}

function whyNotPassed({ data, error }: { data: { passed: boolean } | undefined; error: unknown }): string | undefined {
  if (data) return data.passed ? undefined : 'Resolve the failed checks first.';
  return error ? 'The checks could not run.' : 'The checks are running.';
}

/** What will happen, in the words of someone who must answer for it. */
function Plan({ cluster, candidate }: { cluster: Cluster; candidate: Candidate }) {
  const { label } = engineLooks[cluster.engine];
  return (
    <Card>
      <p className="mb-4 flex flex-wrap items-center gap-2 font-semibold text-xl tracking-[-0.017em]">
        {label} {cluster.version}
        <ArrowRight className="size-5 text-ink-subtle" aria-hidden="true" />
        <span className="sr-only">to</span> {candidate.version}
      </p>
      <PropertyList
        items={[
          ['Cluster', cluster.name],
          ['Method', candidate.method],
          [
            'Your programs',
            `Go on reading and writing. At the switch they wait up to ${formatDuration(candidate.expected_pause_ms)}.`,
          ],
          ['If a step fails', 'The current version goes on automatically. Nothing is lost.'],
          ['Roll back', rollbackWords(candidate.rollback)],
          ['Price', 'Only the serving members are billed during the upgrade.'],
        ]}
      />
    </Card>
  );
}
