import { Agent, request } from 'node:http';

/**
 * Calls a server that speaks JSON. `call` answers `{status, body, data}`, with the envelope's `data`; `made` answers the
 * data of what must succeed. The fifth argument is headers besides those that every call has. `close` hangs up on whoever
 * has not answered yet.
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
      const asked = request({ host: '127.0.0.1', port, method, path, headers, agent }, answer => {
        const parts = [];
        answer.on('data', part => parts.push(part));
        answer.on('error', failed);
        answer.on('end', () => {
          const said = Buffer.concat(parts).toString('utf8');
          const read = said.startsWith('{') ? JSON.parse(said) : undefined;
          done({ status: answer.statusCode, body: read, data: read?.data });
        });
      });
      asked.on('error', error => {
        // it had been idle, and the server was just closing it: nothing was read of what was asked
        const idle = asked.reusedSocket && error.code === 'ECONNRESET' && !closed;
        if (idle) call(method, path, body, token, more).then(done, failed);
        else failed(error);
      });
      asked.end(text);
    });
  const made = async (method, path, body, token, more) => {
    const { status, data } = await call(method, path, body, token, more);
    if (status !== 200 && status !== 201) throw new Error(`${method} ${path} was answered ${status}`);
    return data;
  };
  const close = () => {
    closed = true;
    agent.destroy();
  };
  return { call, made, close };
}
