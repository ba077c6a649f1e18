export class S3FileStore {}
