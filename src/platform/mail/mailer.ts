export interface Mail {
  /** A single address. */
  to: string;
  /** Sent as one line of at most 200 characters. Pass untrusted names through `inertName`. */
  subject: string;
  text: string;
}

/** Sends mail. Without a mail server it only logs recipient and subject. */
export abstract class Mailer {
  /** False when mail is only logged. API answers then contain the links that mail would contain. */
  abstract readonly delivers: boolean;
  abstract send(mail: Mail): Promise<void>;
}
