import { next } from './lifecycle.js';

export const states = ['open', 'closed'];
export const first = next('closed');
