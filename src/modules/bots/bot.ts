/** A program that talks in conversations. The system bot, one per workspace, signs what happens by itself. */
export interface Bot {
  id: string;
  workspaceId: string;
  kind: 'system' | 'custom';
  name: string;
  createdAt: Date;
  updatedAt: Date;
}
