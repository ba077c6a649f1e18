import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startProgram } from '../processes.js';
import { programAbsent } from '../programs.js';
import { plainStage } from './plain-stage.js';

/**
 * Servers from Debian packages that forward messages without storing them and without authentication. The report shows
 * them in a separate table.
 */
export const volatile = [
  { id: 'nats', name: 'NATS', absent: () => programAbsent('nats-server'), start: startNats },
  { id: 'mosquitto', name: 'mosquitto', absent: () => programAbsent('mosquitto'), start: startMosquitto },
  { id: 'ejabberd', name: 'ejabberd, by MQTT', absent: () => programAbsent('ejabberdctl'), start: startEjabberd },
  { id: 'centrifuge', name: 'centrifuge', absent: centrifugeAbsent, start: startCentrifuge },
].map(one => ({ ...one, durable: false, compiled: true }));

/** Debian's folders of Go sources and Erlang libraries. */
const GO_PATH = '/usr/share/gocode';
const ERLANG_PATHS = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib'];
/** centrifuge and its dependencies that the Debian package does not install. */
const CENTRIFUGE = [
  'centrifugal/centrifuge',
  'centrifugal/protocol',
  'FZambia/eagle',
  'igm/sockjs-go/v3',
  'mna/redisc',
];

const MOSQUITTO = port => `
listener ${port} 127.0.0.1
allow_anonymous true
persistence false
set_tcp_nodelay true
max_queued_messages 0
log_dest none
`;

const EJABBERD = port => `
hosts: [localhost]
loglevel: none
auth_method: [anonymous]
anonymous_protocol: login_anon
allow_multiple_connections: true
listen:
  - {port: ${port}, ip: 127.0.0.1, module: mod_mqtt, backlog: 1000}
modules:
  mod_mqtt:
    access_publish: {"#": all}
    access_subscribe: {"#": all}
`;

async function startNats() {
  const server = await startProgram('nats-server', port => ['-a', '127.0.0.1', '-p', String(port), '-l', '/dev/null']);
  return { ...server, stage: brokerStage('nats') };
}

async function startMosquitto({ folder }) {
  const file = join(folder, 'mosquitto.conf');
  const server = await startProgram('mosquitto', async port => {
    await writeFile(file, MOSQUITTO(port));
    return ['-c', file];
  });
  return { ...server, stage: brokerStage('mqtt') };
}

/** Starts Erlang without a node name, so that it starts no epmd process, which would keep running. */
async function startEjabberd({ folder }) {
  const file = join(folder, 'ejabberd.yml');
  const settings = { config: file, log_path: join(folder, 'ejabberd.log') };
  const words = Object.entries(settings).flatMap(([name, value]) => ['-ejabberd', name, JSON.stringify(value)]);
  const argumentsOf = async port => {
    await writeFile(file, EJABBERD(port));
    return [
      '-noinput',
      '-os_mon',
      'start_memsup',
      'false',
      '-mnesia',
      'dir',
      JSON.stringify(join(folder, 'mnesia')),
      ...words,
      '-s',
      'ejabberd',
    ];
  };
  const server = await startProgram('erl', argumentsOf, { ERL_LIBS: ERLANG_PATHS.filter(existsSync).join(':') });
  return { ...server, stage: brokerStage('mqtt') };
}

async function startCentrifuge({ folder }) {
  const program = join(folder, 'centrifuge');
  const source = resolve(import.meta.dirname, 'servers/centrifuge/main.go');
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, GOPATH: GO_PATH, GO111MODULE: 'off' };
  await promisify(execFile)('go', ['build', '-o', program, source], { env });
  return { ...(await startProgram(program, port => [String(port)])), stage: plainStage(centrifugeSocket) };
}

function centrifugeSocket(_token, room) {
  const hello = JSON.stringify({ id: 1, params: { data: { room } } });
  return { path: '/connection/websocket', hello, ready: '"client"' };
}

/** @returns `stage(wants)`, see `index.js`, with one topic per conversation */
function brokerStage(protocol) {
  return ({ conversations = 0, listenersEach = 0 }) => ({
    conversations: Array.from({ length: conversations }, (_, index) => {
      const topic = `conversation-${index + 1}`;
      return {
        id: topic,
        send: { protocol, topic, before: '{"content":"', after: '"}' },
        sockets: Array.from({ length: listenersEach }, () => ({ protocol, topic })),
      };
    }),
    inbox: [],
  });
}

function centrifugeAbsent() {
  const library = CENTRIFUGE.find(one => !existsSync(join(GO_PATH, 'src/github.com', one)));
  return programAbsent('go') ?? (library === undefined ? null : `${library} is not in ${GO_PATH}`);
}
