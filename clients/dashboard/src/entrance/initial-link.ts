import { takeSecretLink } from './secret-link.js';

/** The secret with which the page was opened. This module is the first that runs. */
export const initialLink = takeSecretLink(window);
