import { install } from './loader/install.js';

/** Path of the chunk, relative to this script; set by the build. */
declare const CHUNK: string;

install(CHUNK);
