import { type EventSource, event } from './event-stream';
import type { News } from './feed';
import { type Audience, hub } from './hub';
import { servedVersion } from './version';

const MOST_WAITING = 500;

/**
 * The changes of some audiences: `resync` at the start and whenever hints were lost, then a `hint` for each change. A slow
 * reader gets equal hints only once.
 */
export function changeEvents(audiences: readonly Audience[]): EventSource {
  const resync = event('resync', { version: servedVersion() });
  const waiting = new Set([resync]);
  let ended = false;
  let leave = () => {};
  return {
    async begin(wake) {
      const say = (text: string) => {
        if (waiting.size >= MOST_WAITING) {
          waiting.clear();
          waiting.add(resync);
        } else waiting.add(text);
        wake();
      };
      leave = await hub.listen(audiences, ({ hints, missed }: News) => {
        if (missed) say(resync);
        for (const { topic, resource_id } of hints) say(event('hint', { topic, resource_id }));
      });
      if (ended) leave();
    },
    take() {
      const text = [...waiting].join('');
      waiting.clear();
      return text;
    },
    end() {
      ended = true;
      leave();
    },
  };
}
