import { plainOpponent } from './plain-opponent.js';
import { bareSocket } from './plain-stage.js';

/** An application as the manuals of NestJS, TypeORM and passport describe it. */
export default plainOpponent({
  id: 'idiomatic',
  name: 'idiomatic NestJS',
  program: ['--import', '@swc-node/register/esm-register', '--no-warnings', 'idiomatic/main.ts'],
  socket: bareSocket,
});
