import { frame } from '../../../clients/widget/frame.js';

export const shown = frame;
