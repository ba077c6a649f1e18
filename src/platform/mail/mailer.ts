export interface Mail {
  /** One address. */
  to: string;
  /** One line of at most 200 characters; names that strangers chose go in as `inertName` has them. */
  subject: string;
  text: string;
}

/** Sends mail. Without a mail server the log says that a mail would have gone, without what it says. */
export abstract class Mailer {
  /** Whether mail reaches people; where it does not, links are handed out in answers instead. */
  abstract readonly delivers: boolean;
  abstract send(mail: Mail): Promise<void>;
}
