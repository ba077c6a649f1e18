export interface Mail {
  /** A single address. */
  to: string;
  /** Sent as one line of at most 200 characters. Pass untrusted names through `inertName`. */
  subject: string;
  text: string;
  html?: string;
  /** A single address. */
  replyTo?: string;
  /** Further headers, each sent as one line. */
  headers?: Record<string, string>;
}

/** A mail with the id that every attempt to send it has, so that mail clients show a repeated one once. */
export interface IdentifiedMail extends Mail {
  /** Without angle brackets. */
  messageId: string;
}

/** The mail server has refused the mail for good, e.g. because the address does not exist. */
export class MailRefused extends Error {}

/** Sends mail. Without a mail server it only logs recipient and subject. */
export abstract class Mailer {
  /** False when mail is only logged. API answers then contain the links that mail would contain. */
  abstract readonly delivers: boolean;

  /** @throws MailRefused; any other error means that the mail may be sent later */
  abstract send(mail: IdentifiedMail): Promise<void>;
}
