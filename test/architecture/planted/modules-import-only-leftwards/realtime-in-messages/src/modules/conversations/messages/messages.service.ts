import type { Topic } from '../../realtime/index.js';

export type Heard = Topic;
