/** Context of the cipher for the data of queued mails. */
export const MAIL_DATA = 'mail data';
