export abstract class FileStore {}
