import { plainOpponent } from './plain-opponent.js';
import { bareSocket } from './plain-stage.js';

/** What the manuals of NestJS, TypeORM and passport lead to. */
export default plainOpponent({
  id: 'idiomatic',
  name: 'idiomatic NestJS',
  program: ['--import', '@swc-node/register/esm-register', '--no-warnings', 'idiomatic/main.ts'],
  socket: bareSocket,
});
