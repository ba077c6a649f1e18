import { Injectable } from '@nestjs/common';
import { timeDisplay } from '../../kernel/display-time.js';
import type { Principal } from '../../kernel/principal.js';
import type { Contact } from '../contacts/index.js';
import { ContactsService } from '../contacts/index.js';
import type { Conversation } from '../conversations/index.js';
import { ConversationsService } from '../conversations/index.js';
import { MessageHistoryService } from '../messages/index.js';
import type { Workspace } from '../workspaces/index.js';
import { WorkspacesService } from '../workspaces/index.js';
import type { TranscriptFile } from './transcript-formats.js';
import { toTranscriptFile } from './transcript-formats.js';
import type { Names, Transcript, TranscriptEntry, TranscriptFormat } from './transcript.js';
import { MAX_CHARACTERS, MAX_MESSAGES, toTranscriptEntry } from './transcript.js';

/** Whom a transcript is written for. Only staff gets private notes. */
export type Reader = 'visitor' | 'staff';

/** Writes transcripts of conversations. */
@Injectable()
export class TranscriptsService {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly contacts: ContactsService,
    private readonly conversations: ConversationsService,
    private readonly history: MessageHistoryService,
  ) {}

  /** @throws NotFound */
  async getFile(principal: Principal, id: string, format: TranscriptFormat): Promise<TranscriptFile> {
    const conversation = await this.conversations.get(principal, id);
    const reader = principal.kind === 'visitor' ? 'visitor' : 'staff';
    return toTranscriptFile(await this.write(conversation, reader), format);
  }

  /** Reads from the newest message back, page by page, until a limit of the transcript is reached. */
  async write(conversation: Conversation, reader: Reader): Promise<Transcript> {
    const { workspaceId, contactId } = conversation;
    const workspace = await this.workspaces.find(workspaceId);
    const contact = await this.contacts.find(workspaceId, contactId);
    if (!workspace || !contact) throw new Error(`conversation ${conversation.id} has no workspace or no contact`);
    const names = { desk: workspace.name, contact: nameFor(reader, contact) };
    const { entries, complete } = await this.readEntries(conversation, reader, names);
    const times = timesFor(reader, workspace, contact);
    return { number: conversation.number, desk: workspace.name, times, complete, entries };
  }

  private async readEntries(
    conversation: Conversation,
    reader: Reader,
    names: Names,
  ): Promise<{ entries: TranscriptEntry[]; complete: boolean }> {
    const entries: TranscriptEntry[] = [];
    let characters = 0;
    for await (const message of this.history.readBackwards(conversation, { includeNotes: reader === 'staff' })) {
      const entry = toTranscriptEntry(message, names);
      if (!entry) continue;
      characters += entry.content?.length ?? 0;
      if (entries.length >= MAX_MESSAGES || characters > MAX_CHARACTERS) {
        return { entries: entries.reverse(), complete: false };
      }
      entries.push(entry);
    }
    return { entries: entries.reverse(), complete: true };
  }
}

/** A visitor's transcript has no name: without proof of identity its reader may be somebody else. */
function nameFor(reader: Reader, { name }: Contact): string {
  return (reader === 'staff' ? name : null) ?? 'Visitor';
}

function timesFor(reader: Reader, workspace: Workspace, contact: Contact) {
  if (reader === 'staff') return timeDisplay([workspace.locale], workspace.timezone);
  return timeDisplay([contact.locale, workspace.locale], contact.timezone ?? workspace.timezone);
}
