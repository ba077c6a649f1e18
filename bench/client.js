import { Agent, request } from 'node:http';

/**
 * JSON client. `call` returns `{status, body, data}`, with the envelope's `data`; `made` returns only the data and
 * throws unless the call succeeds. The fifth argument is additional headers. `close` aborts calls without a response.
 */
export function client(port, { sockets = 64 } = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  let closed = false;
  const call = (method, path, body, token, more) =>
    new Promise((done, failed) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const headers = {
        ...(text && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
        ...(token && { Authorization: `Bearer ${token}` }),
        ...more,
      };
      const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent }, answer => {
        const parts = [];
        answer.on('data', part => parts.push(part));
        answer.on('error', failed);
        answer.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8');
          const read = text.startsWith('{') ? JSON.parse(text) : undefined;
          done({ status: answer.statusCode, body: read, data: read?.data });
        });
      });
      outgoing.on('error', error => {
        // the server closed an idle connection before it read the request
        const idle = outgoing.reusedSocket && error.code === 'ECONNRESET' && !closed;
        if (idle) call(method, path, body, token, more).then(done, failed);
        else failed(error);
      });
      outgoing.end(text);
    });
  const made = async (method, path, body, token, more) => {
    const { status, data } = await call(method, path, body, token, more);
    if (status !== 200 && status !== 201) throw new Error(`${method} ${path} returned ${status}`);
    return data;
  };
  const close = () => {
    closed = true;
    agent.destroy();
  };
  return { call, made, close };
}
