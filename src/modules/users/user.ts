/** A person with an e-mail address and usually a password. Memberships grant the rights. */
export interface User {
  id: string;
  email: string;
  name: string;
  /** bcrypt hash; null if the user never set a password. */
  passwordHash: string | null;
  createdAt: Date;
  updatedAt: Date;
}
