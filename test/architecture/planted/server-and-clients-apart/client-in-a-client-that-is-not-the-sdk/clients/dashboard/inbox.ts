import { frame } from '../widget/frame.js';

export const inbox = frame;
