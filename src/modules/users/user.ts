/** A person with an e-mail address and, mostly, a password; what it may do stands in its memberships. */
export interface User {
  id: string;
  email: string;
  name: string;
  /** bcrypt; null for one who has never set a password. */
  passwordHash: string | null;
  createdAt: Date;
  updatedAt: Date;
}
