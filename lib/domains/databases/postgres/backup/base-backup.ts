import { PassThrough, type Readable } from 'node:stream';
import type { Client, ClientConfig, Connection, Submittable } from 'pg';

/** A copy of a whole cluster in tar's format, as `BASE_BACKUP` of the replication protocol sends it. */
export type BaseBackup = {
  stream: Readable;
  /** Once everything was read: the bytes of the archive, and where its WAL begins. */
  done: Promise<{ bytes: number; startLsn: string; startSegment: string }>;
};

/** Makes a connection one of the replication protocol that also takes statements; the types of `pg` do not know this word. */
export const replicationOf = (kind: 'database'): ClientConfig =>
  Object.assign<ClientConfig, object>({}, { replication: kind });

/**
 * Begins a base backup. It holds the WAL that it needs, so that it can be started without anything else; what happened later
 * is in the archive of WAL.
 * @param client a connection with `replication: 'database'`, used for nothing else
 */
export function beginBaseBackup(client: Client, major: number): BaseBackup {
  const stream = new PassThrough({ highWaterMark: 1 << 20 });
  let bytes = 0;
  const written = new Promise<void>((resolve, reject) => {
    const request = new BaseBackupRequest(
      major,
      (chunk) => {
        bytes += chunk.length;
        return stream.write(chunk);
      },
      stream,
      (error) => {
        stream.end();
        if (error) reject(error);
        else resolve();
      },
    );
    client.query(request);
  });
  // Without WAL it would be incomplete: a reader must not take a cut stream for a whole one.
  written.catch((error) => stream.destroy(error));
  const label = labelIn(stream);
  return { stream, done: written.then(async () => ({ bytes, ...(await label) })) };
}

/** Options by name came with 15. */
const command = (major: number) =>
  major >= 15
    ? `BASE_BACKUP (LABEL 'nephele', CHECKPOINT 'fast', WAL true, MANIFEST 'no')`
    : `BASE_BACKUP LABEL 'nephele' FAST WAL MANIFEST 'no'`;

/** One query of `pg` whose answer is a stream: results without rows of interest, and data between them. */
class BaseBackupRequest implements Submittable {
  private connection: Connection | undefined;
  private isPaused = false;

  constructor(
    private readonly major: number,
    private readonly take: (chunk: Buffer) => boolean,
    private readonly stream: PassThrough,
    private readonly finish: (error?: Error) => void,
  ) {}

  submit(connection: Connection): void {
    this.connection = connection;
    connection.query(command(this.major));
  }

  /** From 15 on, each message says what it is: only `d` is data of the archive. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    const data = this.major < 15 ? chunk : chunk[0] === DATA ? chunk.subarray(1) : undefined;
    // The parser writes its next messages over this one.
    if (!data || this.take(Buffer.from(data)) || this.isPaused) return;
    const socket = this.connection?.stream;
    this.isPaused = true;
    socket?.pause();
    this.stream.once('drain', () => {
      this.isPaused = false;
      socket?.resume();
    });
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleReadyForQuery(): void {
    this.finish();
  }
  handleError(error: Error): void {
    this.finish(error);
  }
}

const DATA = 'd'.charCodeAt(0);

/** `START WAL LOCATION: 0/2000028 (file 000000010000000000000002)` of `backup_label`, which is among an archive's first files. */
function labelIn(stream: PassThrough): Promise<{ startLsn: string; startSegment: string }> {
  return new Promise((resolve, reject) => {
    let head = '';
    const look = (chunk: Buffer) => {
      head += chunk.toString('latin1');
      const [, startLsn, startSegment] = /START WAL LOCATION: (\S+) \(file ([0-9A-F]{24})\)/.exec(head) ?? [];
      if (startLsn === undefined || startSegment === undefined) {
        head = head.slice(-200);
        return;
      }
      stream.off('data', look);
      resolve({ startLsn, startSegment });
    };
    stream.on('data', look);
    stream.once('close', () => reject(new Error('The base backup holds no label.')));
  });
}
