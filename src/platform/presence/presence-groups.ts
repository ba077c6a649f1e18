/** Names presence groups of one kind, one group for each workspace: `{kind}:{workspaceId}`. */
export class PresenceGroups {
  private readonly prefix: string;

  constructor(kind: string) {
    this.prefix = `${kind}:`;
  }

  groupFor(workspaceId: string): string {
    return this.prefix + workspaceId;
  }

  /** @returns the workspace's id; null for a group of another kind */
  parseWorkspaceId(group: string): string | null {
    return group.startsWith(this.prefix) ? group.slice(this.prefix.length) : null;
  }
}
