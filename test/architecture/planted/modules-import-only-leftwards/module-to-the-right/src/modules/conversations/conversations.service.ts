export class ConversationsService {}
