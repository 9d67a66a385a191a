import type { Job } from './types';

type StageName = Job['stage'];

export interface StageWords {
  title: string;
  about: string;
}

export const stageWords: Record<StageName, StageWords> = {
  pending: { title: 'Accepted', about: 'Waits for a worker.' },
  preflight: { title: 'Preflight', about: 'The five checks run once more.' },
  backup: { title: 'Backup', about: 'A verified backup of the current version, unless a fresh one exists.' },
  provisioning: { title: 'Provisioning', about: 'Members of the new version start beside the current ones.' },
  replicating: {
    title: 'Replicating',
    about: 'Data is copied and kept up to date. Your programs read and write as usual.',
  },
  switching_over: {
    title: 'Switching over',
    about: 'Connections are held, the last writes follow, the new version takes over.',
  },
  verifying: { title: 'Verifying', about: 'The previous version follows the new one, so that there is a way back.' },
  completed: { title: 'Completed', about: 'The new version serves.' },
  rolling_back: { title: 'Rolling back', about: 'The previous version takes over again, with what was written since.' },
  rolled_back: { title: 'Rolled back', about: 'The previous version serves.' },
  failed: { title: 'Failed', about: 'The upgrade ended with an error.' },
};

/** The stages of an upgrade that succeeds. The API's list is too heavy for a page. */
const planned: readonly StageName[] = [
  'pending',
  'preflight',
  'backup',
  'provisioning',
  'replicating',
  'switching_over',
  'verifying',
  'completed',
];

export interface ShownStage {
  stage: StageName;
  state: 'done' | 'now' | 'later' | 'failed';
  at: string | null;
  /** How long it took; of the current one, how long it has taken. Null for ends, which take no time. */
  took_ms: number | null;
}

const ends: readonly StageName[] = ['completed', 'rolled_back', 'failed'];

/** The stages of a job as a timeline: those of its past as they were, then those that are planned. */
export function timelineOf({ stage, transitions }: Pick<Job, 'stage' | 'transitions'>, now: number): ShownStage[] {
  const past = transitions.map((one, position): ShownStage => {
    const next = transitions[position + 1];
    const end = ends.includes(one.stage);
    const until = next === undefined ? now : Date.parse(next.at);
    return {
      stage: one.stage,
      at: one.at,
      state: one.stage === 'failed' ? 'failed' : next === undefined && !end ? 'now' : 'done',
      took_ms: end ? null : Math.max(0, until - Date.parse(one.at)),
    };
  });
  return [
    ...past,
    ...comingAfter(stage).map((next): ShownStage => ({ stage: next, state: 'later', at: null, took_ms: null })),
  ];
}

function comingAfter(stage: StageName): readonly StageName[] {
  if (stage === 'rolling_back') return ['rolled_back'];
  const at = planned.indexOf(stage);
  return at < 0 ? [] : planned.slice(at + 1);
}
