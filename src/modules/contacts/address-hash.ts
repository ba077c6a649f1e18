import { sha256 } from '../../kernel/secret.js';

/** Identifies an e-mail address of a workspace without storing it. @param email as it is stored for contacts */
export function addressHash(workspaceId: string, email: string): string {
  return sha256(`${workspaceId} ${email}`);
}
