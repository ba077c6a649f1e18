import { createApp } from '../../app.js';

export const app = createApp;
