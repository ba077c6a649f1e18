import type { Frame } from '../../src/kernel/frame.js';

export type Shown = Frame;
