import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceivedCall = { path: string; headers: IncomingHttpHeaders; body: string };

/** A web server on this machine that stores incoming requests. */
export type WebhookReceiver = {
  url: string;
  received: ReceivedCall[];
  /** The answer from now on; null: none, ever. */
  answer: { status: number; headers?: Record<string, string> } | null;
  /** Called with each request before its answer. */
  onCall: (call: ReceivedCall) => void;
  close(): Promise<void>;
};

export async function startWebhookReceiver(address = '127.0.0.1'): Promise<WebhookReceiver> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    const call = { path: request.url ?? '', headers: request.headers, body };
    receiver.received.push(call);
    receiver.onCall(call);
    if (receiver.answer) response.writeHead(receiver.answer.status, receiver.answer.headers).end();
  });
  await new Promise<void>((listening) => server.listen(0, address, listening));
  const receiver: WebhookReceiver = {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: { status: 204 },
    onCall: () => {},
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
  return receiver;
}
