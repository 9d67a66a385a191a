import type { IncomingMessage, ServerResponse } from 'node:http';

/** Limits the time for receiving a request body. */
export type BodyLimit = {
  /** In milliseconds, for all requests but uploads, and for uploads after their answer. */
  ms: number;
  /** Requests that send large files; the server's own limit applies to them. */
  isUpload(request: IncomingMessage): boolean;
};

/** Calls `late` if a request's body has not arrived in time, whether or not it was answered. */
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
  const { socket } = request;
  const stop = () => clearTimeout(timer);
  socket.once('close', stop);
  request.once('close', () => {
    if (!request.complete) return;
    stop();
    // The connection may serve many more requests.
    socket.off('close', stop);
  });
  if (isUpload(request)) response.once('finish', () => request.complete || wait());
  else wait();
}
