import { log } from '@/lib/log';
import { followChanges, type Hint, type News } from './feed';

/** A group of listeners. `standing`: changes of the project itself, not of its resources. */
export type Audience = `project:${string}` | `standing:${string}` | `person:${string}` | 'platform';

type Listener = (news: News) => void;

/** A project's changes go to its members; changes of a person without a project go to that person. */
function audiencesOf(hint: Hint): Audience[] {
  if (hint.project_id === null) return ['platform', `person:${hint.resource_id}`];
  const project: Audience[] = ['platform', `project:${hint.project_id}`];
  return hint.topic === 'tenant' ? [...project, `standing:${hint.project_id}`] : project;
}

/** Distributes database changes to all streams of this process. Reads changes once, and only while someone listens. */
class Hub {
  private readonly listeners = new Map<Audience, Set<Listener>>();
  private following: Promise<{ stop(): Promise<void> }> | undefined;

  /** Subscribes; settles when no later commit can be missed. @returns a function that unsubscribes */
  async listen(audiences: readonly Audience[], listener: Listener): Promise<() => void> {
    for (const audience of audiences) {
      this.listeners.set(audience, (this.listeners.get(audience) ?? new Set()).add(listener));
    }
    const leave = () => this.leave(audiences, listener);
    try {
      this.following ??= followChanges((news) => this.tell(news));
      await this.following;
    } catch (error) {
      this.following = undefined;
      leave();
      throw error;
    }
    return leave;
  }

  private leave(audiences: readonly Audience[], listener: Listener): void {
    for (const audience of audiences) {
      const others = this.listeners.get(audience);
      others?.delete(listener);
      if (others?.size === 0) this.listeners.delete(audience);
    }
    if (this.listeners.size > 0) return;
    const ended = this.following;
    this.following = undefined;
    ended
      ?.then((feed) => feed.stop())
      .catch((error) => log.debug({ err: error }, 'the reader of changes had not begun'));
  }

  private tell({ hints, missed }: News): void {
    if (missed) {
      const everybody = new Set([...this.listeners.values()].flatMap((listeners) => [...listeners]));
      for (const listener of everybody) listener({ hints, missed });
      return;
    }
    const mine = new Map<Listener, Hint[]>();
    for (const hint of hints) {
      for (const listener of audiencesOf(hint).flatMap((audience) => [...(this.listeners.get(audience) ?? [])])) {
        mine.set(listener, [...(mine.get(listener) ?? []), hint]);
      }
    }
    for (const [listener, own] of mine) listener({ hints: own, missed: false });
  }
}

export const hub = new Hub();
