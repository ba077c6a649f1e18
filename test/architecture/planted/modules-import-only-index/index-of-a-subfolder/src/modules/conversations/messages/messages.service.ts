export class MessagesService {}
