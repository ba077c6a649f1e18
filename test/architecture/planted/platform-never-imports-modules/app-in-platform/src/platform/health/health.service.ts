import { createApp } from '../../app.js';

export const health = createApp;
