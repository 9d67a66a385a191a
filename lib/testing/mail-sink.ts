import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export type ReceivedMail = { to: string; from: string; raw: string };

/** A mail server on this machine that stores incoming messages. */
export type MailSink = {
  /** The value for SMTP_URL. */
  url: string;
  received: ReceivedMail[];
  /** Recipients that are refused, with their SMTP code: temporary below 500, permanent from 500. */
  refused: Map<string, number>;
  close(): Promise<void>;
};

export async function startMailSink(): Promise<MailSink> {
  const received: ReceivedMail[] = [];
  const refused = new Map<string, number>();
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: ({ username }, _, callback) => callback(null, { user: username }),
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _, callback) {
      const responseCode = refused.get(address);
      callback(responseCode === undefined ? null : Object.assign(new Error('No such user'), { responseCode }));
    },
    onData(stream, { envelope }, callback) {
      stream.toArray().then((chunks) => {
        const raw = Buffer.concat(chunks).toString('utf8');
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        for (const { address } of envelope.rcptTo) received.push({ to: address, from, raw });
        callback();
      }, callback);
    },
  });
  const listening = once(server.server, 'listening');
  server.listen(0, '127.0.0.1');
  await listening;
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    received,
    refused,
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}
