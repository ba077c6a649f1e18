/** A mail that was given up. */
export interface MailFailure {
  id: string;
  kind: string;
  subjectId: string;
  recipient: string | null;
  attempts: number;
  lastError: string | null;
  createdAt: Date;
  endedAt: Date;
}
