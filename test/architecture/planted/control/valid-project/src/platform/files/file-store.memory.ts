import { FileStore } from './file-store.js';

export class MemoryFileStore extends FileStore {}
