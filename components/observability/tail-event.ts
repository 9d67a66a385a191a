import * as z from 'zod/mini';
import type { LogStream } from './log-records';

const event = z.object({
  streams: z.array(
    z.object({ stream: z.record(z.string(), z.string()), values: z.array(z.tuple([z.string(), z.string()])) }),
  ),
});

/** The lines of one event of a tail; none if it has another form. */
export function streamsOf(data: string): readonly LogStream[] {
  try {
    return event.safeParse(JSON.parse(data)).data?.streams ?? [];
  } catch {
    return [];
  }
}
