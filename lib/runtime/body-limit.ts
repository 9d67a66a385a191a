import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a body may be on its way. */
export type BodyLimit = {
  /** For everything but uploads; an upload has as long once it is answered. In milliseconds. */
  ms: number;
  /** Requests that send large files, whose limit is the server's own. */
  isUpload(request: IncomingMessage): boolean;
};

/** Calls `late` when the body of a request has not arrived in time, answered or not. */
export function limitBody(
  request: IncomingMessage,
  response: ServerResponse,
  { ms, isUpload }: BodyLimit,
  late: () => void,
): void {
  const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  if (encoding === undefined && Number(length ?? 0) === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => request.complete || late(), ms);
    timer.unref();
  };
  request.once('close', () => request.complete && clearTimeout(timer));
  request.socket.once('close', () => clearTimeout(timer));
  if (isUpload(request)) response.once('finish', () => request.complete || wait());
  else wait();
}
