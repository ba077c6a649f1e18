/** The object of an entry in the audit log. */
export interface AuditSubject {
  type:
    | 'api_key'
    | 'bot'
    | 'channel'
    | 'contact'
    | 'conversation'
    | 'invite'
    | 'member'
    | 'report'
    | 'session'
    | 'sso_ticket'
    | 'tag'
    | 'view'
    | 'webhook'
    | 'workspace';
  /** null: nobody known. */
  id: string | null;
}
