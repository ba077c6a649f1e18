export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Sends mail. Without a mail server the log says that a mail would have gone, without what it says. */
export abstract class Mailer {
  /** Whether mail reaches people; where it does not, links are handed out in answers instead. */
  abstract readonly delivers: boolean;
  abstract send(mail: Mail): Promise<void>;
}
