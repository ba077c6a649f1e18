import { status } from '../../platform/http/status.js';

export const missing = status;
