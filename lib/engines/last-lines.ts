import { log } from '@/lib/log';

type Reader = (id: string) => Promise<void>;

let reader: Reader | undefined;

/** Sets how the log of a machine or service is read to its end before it is removed. @returns a function that ends that */
export function readBeforeRemoval(read: Reader): () => void {
  reader = read;
  return () => {
    if (reader === read) reader = undefined;
  };
}

/** Engines call this after the process of a machine or service has ended, and before they remove its log. */
export async function readLastLines(id: string): Promise<void> {
  try {
    await reader?.(id);
  } catch (error) {
    // Lines that cannot be read must not keep a resource from being removed.
    log.warn({ err: error, writer: id }, 'the last log lines of a removed resource could not be read');
  }
}
