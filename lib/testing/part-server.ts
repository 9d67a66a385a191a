import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

interface Upload {
  size: number;
  parts: Map<number, Buffer>;
}

/**
 * A local multipart upload server: `POST /` begins, `PUT /{id}/{part}` stores a part, `GET /{id}` lists the stored
 * parts, `POST /{id}/complete` joins them, `DELETE /{id}` deletes them.
 */
export async function startPartServer(partSize: number) {
  const uploads = new Map<string, Upload>();
  const files = new Map<string, Buffer>();
  const received: number[] = [];
  let refuse: (part: number) => boolean = () => false;
  let hold: ((part: number) => Promise<void>) | undefined;

  const answer = (response: ServerResponse, status: number, body: object = {}) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

  async function takePart(request: IncomingMessage, response: ServerResponse, upload: Upload, part: number) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push(part);
    await hold?.(part);
    if (refuse(part)) return answer(response, 503);
    upload.parts.set(part, Buffer.concat(chunks));
    return answer(response, 200);
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const [, id = '', rest = ''] = (request.url ?? '').split('/');
    if (request.method === 'POST' && id === '') {
      const uploadId = `upload-${uploads.size + 1}`;
      uploads.set(uploadId, { size: Number(request.headers['x-size']), parts: new Map() });
      return answer(response, 201, { uploadId, partSize });
    }
    const upload = uploads.get(id);
    if (!upload) return answer(response, 404);
    if (request.method === 'PUT') return takePart(request, response, upload, Number(rest));
    if (request.method === 'GET') return answer(response, 200, { parts: [...upload.parts.keys()] });
    if (request.method === 'DELETE') {
      uploads.delete(id);
      return answer(response, 200);
    }
    const joined = Buffer.concat([...upload.parts].sort(([one], [other]) => one - other).map(([, bytes]) => bytes));
    if (joined.length !== upload.size) return answer(response, 409);
    files.set(id, joined);
    return answer(response, 200);
  }

  const server = createServer((request, response) => {
    // A client that stops in the middle of a part leaves an incomplete request.
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    uploads,
    files,
    /** The numbers of all received parts in order, including refused ones. */
    received,
    /** Selects the parts to refuse from now on. */
    refuseParts(which: (part: number) => boolean) {
      refuse = which;
    },
    /** Every part waits for this before it is stored. */
    holdParts(wait: ((part: number) => Promise<void>) | undefined) {
      hold = wait;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
