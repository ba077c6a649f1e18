import type { MessageView } from '@support-chat/sdk';
import type { Speaker } from './dialogue.js';
import type { History, SentMessage } from './history.js';
import type { Line } from './transcript.js';

/** Acts of the desk on a conversation besides answering it. All of them have been checked. */
export interface DeskOutcome {
  /** The agent to whom the service assigned it. */
  assignee?: string;
  tags?: string[];
  /** How the colleague learned of the note: from its socket, or from its list of notifications. */
  notified?: 'socket' | 'list';
  woken?: true;
  /** The contact sent a photo, and the agent opened it. */
  photo?: true;
  score?: number;
}

type Voice = Pick<Line, 'name'> & { speaker: Speaker | 'note' };

/** Everything that has happened in a dialogue, for the transcript, the report and the checks at the end. */
export class PlayRecord {
  readonly lines: Line[] = [];
  readonly outcome: DeskOutcome = {};
  /** Number of messages that arrived on the other side's socket. */
  frames = 0;
  /** Number of messages that the service acknowledged, without notes. */
  messages = 0;
  private readonly agentHistory: History = { messages: [], timeline: [] };
  private readonly visitorHistory: History = { messages: [], timeline: [] };

  addMessage({ speaker, name }: Voice, { id, content }: MessageView): void {
    const text = content ?? '';
    const sent: SentMessage = { id, speaker: speaker === 'note' ? 'agent' : speaker, text };
    this.lines.push({ speaker, name, text, at: new Date() });
    this.agentHistory.messages.push(sent);
    if (speaker === 'note') return;
    this.visitorHistory.messages.push(sent);
    this.messages += 1;
  }

  /**
   * Adds something that the desk or the service did.
   * @param entry the timeline entry that the service must have written about it
   */
  addEvent(text: string, entry?: { name: string; public: boolean }): void {
    this.lines.push({ speaker: 'service', name: '', text, at: new Date() });
    if (!entry) return;
    this.agentHistory.timeline.push(entry.name);
    if (entry.public) this.visitorHistory.timeline.push(entry.name);
  }

  /** Returns the history that a side must be able to read. */
  historyOf(side: 'agent' | 'visitor'): History {
    return side === 'agent' ? this.agentHistory : this.visitorHistory;
  }
}
