import { randomBytes } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rewrites stored e-mail addresses whose domain leaves ASCII into their Punycode form, and keeps other forms out of
 * users and invites by a constraint. Users who turn out to have one mailbox become one user:
 * - the oldest of them stays, and gets the memberships of the others;
 * - where two of them belong to one workspace, the second member stays there with an address that nobody can use, for
 *   an admin to deactivate;
 * - where more than one of them had a password, none of the passwords opens anything any more: a link that is mailed to
 *   the mailbox sets a new one. Every session of these users ends.
 * Of several pending invites to one mailbox the newest stays, the others are revoked.
 */
export class EmailForm1795910400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await rewriteUsers(runner);
    await rewriteInvites(runner);
    await rewriteContacts(runner);
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const BATCH = 1_000;
const UP = [
  `ALTER TABLE user_account ADD CONSTRAINT ck_user_account_email CHECK (octet_length(email) = length(email))`,
  `ALTER TABLE invite ADD CONSTRAINT ck_invite_email CHECK (octet_length(email) = length(email))`,
];
const DOWN = [
  `ALTER TABLE invite DROP CONSTRAINT ck_invite_email`,
  `ALTER TABLE user_account DROP CONSTRAINT ck_user_account_email`,
];

interface User {
  id: string;
  email: string;
  hash: string | null;
}

function rewritten(email: string): string {
  const [local = '', domain = ''] = email.split('@');
  return `${local}@${domainToASCII(domain)}`;
}

async function rewriteUsers(runner: QueryRunner): Promise<void> {
  const found: User[] = await runner.query(
    `SELECT id, email, password_hash AS hash FROM user_account WHERE octet_length(email) > length(email)`,
  );
  const emails = new Set(found.map(({ email }) => rewritten(email)));
  for (const email of emails) {
    const spellings = [email, ...found.filter(user => rewritten(user.email) === email).map(user => user.email)];
    const users: User[] = await runner.query(
      `SELECT id, email, password_hash AS hash FROM user_account WHERE email = ANY($1) ORDER BY created_at, id`,
      [spellings],
    );
    await unite(runner, users, email);
  }
}

/** Makes one user of several, the first of them. */
async function unite(runner: QueryRunner, users: User[], email: string): Promise<void> {
  const [kept, ...others] = users;
  if (!kept) return;
  if (others.length > 0) {
    const ids = users.map(({ id }) => id);
    await detachSecondMembers(runner, ids);
    await runner.query(`UPDATE member SET user_id = $1 WHERE user_id = ANY($2)`, [kept.id, ids]);
    await runner.query(
      `UPDATE session SET user_id = $1, ended_at = coalesce(ended_at, clock_timestamp()) WHERE user_id = ANY($2)`,
      [kept.id, ids],
    );
    await runner.query(`DELETE FROM password_reset WHERE user_id = $1`, [kept.id]);
    await runner.query(`DELETE FROM user_account WHERE id = ANY($1)`, [others.map(({ id }) => id)]);
  }
  const hashes = users.flatMap(({ hash }) => hash ?? []);
  const hash = hashes.length > 1 ? unusableHash(hashes) : (hashes[0] ?? null);
  await runner.query(`UPDATE user_account SET email = $2, password_hash = $3 WHERE id = $1`, [kept.id, email, hash]);
}

/** Of the members that these users are in one workspace, all but the best placed get a user of their own. */
async function detachSecondMembers(runner: QueryRunner, userIds: string[]): Promise<void> {
  const seconds = `
    SELECT id, name FROM (
      SELECT id, name, row_number() OVER (
        PARTITION BY workspace_id
        ORDER BY status, array_position(ARRAY['owner', 'admin', 'agent'], role), created_at, id) AS place
      FROM member WHERE user_id = ANY($1)) AS placed
    WHERE place > 1`;
  const found: { id: string; name: string }[] = await runner.query(seconds, [userIds]);
  for (const { id, name } of found) {
    // the new user takes over the member's id: no other user has it
    await runner.query(
      `INSERT INTO user_account (id, email, name) VALUES ($1::uuid, $1::uuid::text || '@duplicate.invalid', $2)`,
      [id, name],
    );
    await runner.query(`UPDATE member SET user_id = $1, claimed = false WHERE id = $1`, [id]);
  }
}

/** A well-formed bcrypt hash of no known password: comparing with it takes as long as with any other. */
function unusableHash([hash = '']: string[]): string {
  const random = randomBytes(40).toString('base64').replace(/[+=]/g, '.').slice(0, 53);
  return `${hash.slice(0, 7)}${random}`;
}

async function rewriteInvites(runner: QueryRunner): Promise<void> {
  const found: { workspace: string; id: string; email: string }[] = await runner.query(
    `SELECT workspace_id AS workspace, id, email FROM invite WHERE octet_length(email) > length(email)`,
  );
  for (const { workspace, id, email } of found) {
    const to = rewritten(email);
    await runner.query(
      `WITH rivals AS (
         SELECT id, row_number() OVER (ORDER BY expires_at DESC, id DESC) AS place FROM invite
         WHERE workspace_id = $1 AND status = 'pending' AND (email = $2 OR id = $3))
       UPDATE invite SET status = 'revoked' FROM rivals
       WHERE invite.workspace_id = $1 AND invite.id = rivals.id AND rivals.place > 1`,
      [workspace, to, id],
    );
    await runner.query(`UPDATE invite SET email = $3 WHERE workspace_id = $1 AND id = $2`, [workspace, id, to]);
  }
}

async function rewriteContacts(runner: QueryRunner): Promise<void> {
  for (let last = ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000']; ;) {
    const found: { workspace: string; id: string; email: string }[] = await runner.query(
      `SELECT workspace_id AS workspace, id, email FROM contact
       WHERE (workspace_id, id) > ($1, $2) AND octet_length(email) > length(email)
       ORDER BY workspace_id, id LIMIT ${BATCH}`,
      last,
    );
    if (found.length === 0) return;
    const column = (key: 'workspace' | 'id' | 'email') => found.map(row => row[key]);
    await runner.query(
      `UPDATE contact SET email = written.email
       FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS written (workspace_id, id, email)
       WHERE contact.workspace_id = written.workspace_id AND contact.id = written.id`,
      [column('workspace'), column('id'), column('email').map(rewritten)],
    );
    const end = found.at(-1);
    last = [end?.workspace ?? '', end?.id ?? ''];
  }
}
