import { oneAtATime } from '@/lib/core/db/changes';
import { log } from '@/lib/log';
import { writeAccessLines } from './s3/access-log';
import { type Connections, listenS3 } from './s3/server';
import { prepareFolders } from './store/blobs';
import { deleteFreed, scrub, sweepFiles } from './store/housekeeping';
import { writeSent } from './store/usage';

const SECOND = 1000;
/** Files that are read and compared each minute. */
const SCRUBBED = 20;

/**
 * The process of object storage: the S3 endpoint, and what looks after its files. Only this process deletes files, because it knows
 * which ones are being read.
 * @returns a function that stops it
 */
export async function serveObjects(address: { host: string; port: number }, connections: Connections) {
  await prepareFolders();
  const endpoint = await listenS3(address, connections);
  const jobs = [
    every(SECOND, 'write sent bytes', writeSent),
    every(SECOND / 2, 'store access lines', writeAccessLines),
    every(30 * SECOND, 'delete freed files', () => deleteFreed()),
    every(60 * SECOND, 'compare files', () => scrub(SCRUBBED)),
    every(600 * SECOND, 'sweep files', () => sweepFiles()),
  ];
  return {
    port: endpoint.port,
    async stop() {
      await endpoint.stop();
      await Promise.all(jobs.map((job) => job.stop()));
      await writeSent();
      await writeAccessLines();
    },
  };
}

function every(ms: number, name: string, work: () => Promise<unknown>): { stop(): Promise<void> } {
  const turn = oneAtATime(async () => {
    try {
      await work();
    } catch (error) {
      log.error({ err: error, job: name }, 'a job of object storage failed');
    }
  });
  const timer = setInterval(turn.fire, ms);
  return {
    async stop() {
      clearInterval(timer);
      await turn.idle();
    },
  };
}
