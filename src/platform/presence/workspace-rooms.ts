/** The rooms of one kind, one for each workspace: `{kind}:{workspace}`. */
export class WorkspaceRooms {
  private readonly prefix: string;

  constructor(kind: string) {
    this.prefix = `${kind}:`;
  }

  of(workspaceId: string): string {
    return this.prefix + workspaceId;
  }

  /** Whose room it is; null for one of another kind. */
  workspaceOf(room: string): string | null {
    return room.startsWith(this.prefix) ? room.slice(this.prefix.length) : null;
  }
}
