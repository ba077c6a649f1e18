import { newId } from '../../src/kernel/ids.js';
import { randomToken, sha256 } from '../../src/kernel/secret.js';
import type { Session } from '../../src/modules/auth/session.js';
import { TokenService } from '../../src/modules/auth/token.service.js';
import { newWidgetToken } from '../../src/modules/channels/channel.js';
import { IDENTITY_CONTEXT } from '../../src/modules/channels/identity-secrets.repository.js';
import { CipherService } from '../../src/platform/encryption/cipher.service.js';
import type { TestApp } from './app.js';
import { rememberSecrets } from './known-secrets.js';
import type { Desk } from './world.js';

/** The tables to which a registration writes, without its events and what follows from them. */
const TABLES = ['user_account', 'workspace', 'bot', 'channel', 'member', 'session'] as const;
const ROWS = TABLES.map(table => {
  const own = { workspace: 'id = $1', user_account: 'id IN (SELECT user_id FROM member WHERE workspace_id = $1)' };
  const where = table in own ? own[table as keyof typeof own] : 'workspace_id = $1';
  return `'${table}', (SELECT json_agg(row_to_json(t)) FROM ${table} t WHERE ${where})`;
});
const COLUMNS = `SELECT table_name AS name, string_agg(quote_ident(column_name), ', ') AS columns
  FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = ANY ($1)
  GROUP BY table_name`;

/** A row as JSON. The columns that are read here are all texts. */
type Row = Record<'id' | 'workspace_id' | 'member_id' | 'rotation' | 'expires_at' | 'created_at', string> &
  Record<string, unknown>;
type Rows = Record<(typeof TABLES)[number], Row[]>;

export interface SignedIn {
  memberId: string;
  token: string;
  refreshToken: string;
}

export interface WorkspaceCopy extends SignedIn {
  workspaceId: string;
  channelId: string;
  widgetToken: string;
}

/** The columns of a member that differ from the owner's. */
export interface MemberColumns {
  name: string;
  role: 'agent' | 'admin';
  channel_ids: string[] | null;
}

/**
 * The rows of a registered workspace. A copy of them is a workspace as its registration would have made it, with ids,
 * times and secrets of its own, in one statement and without hashing a password. It has no past: a copied event would
 * reach sockets that are opened after it, because only the event log delivers it.
 */
export class WorkspaceTemplate {
  private constructor(
    private readonly app: TestApp,
    private readonly source: Desk,
    private readonly rows: string,
    private readonly insert: string,
    private readonly takenAt: number,
  ) {}

  /** Reads the rows of a workspace that has not changed since its registration. */
  static async of(app: TestApp, source: Desk): Promise<WorkspaceTemplate> {
    const { query } = app.database;
    const read = `SELECT json_build_object(${ROWS.join()})::text AS rows`;
    const [found] = await query<{ rows: string }>(read, [source.workspaceId]);
    const columns = new Map(
      (await query<{ name: string; columns: string }>(COLUMNS, [TABLES])).map(table => [table.name, table.columns]),
    );
    const inserts = TABLES.map(
      table => `into_${table} AS (INSERT INTO ${table} (${columns.get(table)})
        SELECT ${columns.get(table)} FROM json_populate_recordset(NULL::${table}, $1::json -> '${table}'))`,
    );
    return new WorkspaceTemplate(app, source, found?.rows ?? '', `WITH ${inserts.join()} SELECT`, Date.now());
  }

  async copy(email: string, workspaceName: string): Promise<WorkspaceCopy> {
    const widgetToken = newWidgetToken();
    const rows = this.rowsWith([
      [this.source.owner.email, email],
      [this.source.widgetToken, widgetToken],
    ]);
    only(rows.workspace).name = workspaceName;
    const channel = only(rows.channel);
    channel.identity_secret = this.get(CipherService).encrypt(randomToken('ids_'), IDENTITY_CONTEXT);
    const signedIn = await this.insertSignedIn(rows);
    const { workspace_id: workspaceId } = channel;
    return { ...signedIn, workspaceId, channelId: channel.id, widgetToken };
  }

  /** Adds a member to a workspace as a copy of the template's owner. */
  async copyMember(workspaceId: string, email: string, columns: MemberColumns): Promise<SignedIn> {
    const { user_account, member, session } = this.rowsWith([[this.source.owner.email, email]]);
    only(user_account).name = columns.name;
    Object.assign(only(member), columns, { workspace_id: workspaceId });
    only(session).workspace_id = workspaceId;
    return this.insertSignedIn({ user_account, member, session });
  }

  /** Inserts the rows with tokens of their session. */
  private async insertSignedIn(rows: Pick<Rows, 'session'> & Partial<Rows>): Promise<SignedIn> {
    const session = only(rows.session);
    const tokens = this.sign(session);
    session.refresh_hash = sha256(tokens.refreshToken);
    await this.app.database.query(this.insert, [JSON.stringify(rows)]);
    return { ...tokens, memberId: session.member_id };
  }

  /** Replaces ids in their order, which is that of their times. */
  private rowsWith(texts: [string, string][]): Rows {
    const ids = [...new Set(this.rows.match(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g))].sort();
    const replacements = [...ids.map(id => [id, newId()] as const), ...texts];
    const since = Date.now() - this.takenAt;
    const shifted = this.rows.replace(/\d{4}-\d\d-\d\dT[\d:.]+\+00:00/g, time =>
      new Date(Date.parse(time) + since).toISOString(),
    );
    return JSON.parse(replacements.reduce((text, [from, to]) => text.replaceAll(from, to), shifted)) as Rows;
  }

  private sign(row: Row): { token: string; refreshToken: string } {
    const session = {
      id: row.id,
      workspaceId: row.workspace_id,
      memberId: row.member_id,
      rotation: Number(row.rotation),
      expiresAt: new Date(row.expires_at),
      createdAt: new Date(row.created_at),
    } as Session;
    const tokens = this.get(TokenService);
    const signed = { token: tokens.signAccess(session), refreshToken: tokens.signRefresh(session) };
    rememberSecrets(Object.values(signed).join(' '));
    return signed;
  }

  private get<T>(provider: abstract new (...options: never[]) => T): T {
    return this.app.app.get<T>(provider as never, { strict: false });
  }
}

/** The owner's row, or that of the first channel. */
function only(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`a registration makes one such row, not ${rows.length}`);
  return row;
}
