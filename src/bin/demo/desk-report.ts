import { setTimeout as wait } from 'node:timers/promises';
import type { AgentClient, ConversationsReportView, FiguresView, MembersReportView } from '@support-chat/sdk';
import { retryRateLimited } from './retry-rate-limited.js';

/** Reports are at most two seconds behind, unless the machine is busy. */
const PATIENCE_MS = 20_000;
const STEP_MS = 2_500;

/** Numbers that a run adds to the report. Other runs may add more at the same time. */
export interface PlayedFigures {
  conversations: number;
  messages: number;
  ratings: number;
}

/** The report of the days since a run began. */
export class DeskReport {
  private constructor(
    private readonly owner: AgentClient,
    private readonly from: string,
    private readonly before: PlayedFigures,
  ) {}

  static async begin(owner: AgentClient): Promise<DeskReport> {
    const from = `${new Date().toISOString().slice(0, 10)}T00:00:00.000000Z`;
    const { totals } = await retryRateLimited(() => owner.reports.conversations({ from }));
    return new DeskReport(owner, from, playedOf(totals));
  }

  /** Returns the report as text once it counts what was played. @throws Error if it does not in time */
  async read(played: PlayedFigures, patienceMs = PATIENCE_MS): Promise<string> {
    for (let waitedMs = 0; ; waitedMs += STEP_MS) {
      const report = await retryRateLimited(() => this.owner.reports.conversations({ from: this.from }));
      const missing = this.findMissing(playedOf(report.totals), played);
      if (missing === undefined) {
        return reportText(report, await retryRateLimited(() => this.owner.reports.members({ from: this.from })));
      }
      if (waitedMs >= patienceMs) throw new Error(`the report counts too few ${missing}`);
      await wait(STEP_MS);
    }
  }

  private findMissing(counted: PlayedFigures, played: PlayedFigures): string | undefined {
    const names = ['conversations', 'messages', 'ratings'] as const;
    return names.find(name => counted[name] - this.before[name] < played[name]);
  }
}

function playedOf({ created, resolved, messages_in, messages_out, csat }: FiguresView): PlayedFigures {
  return {
    conversations: Math.min(created, resolved),
    messages: messages_in + messages_out,
    ratings: csat.count,
  };
}

export function reportText({ from, totals }: ConversationsReportView, { items }: MembersReportView): string {
  const { created, resolved, messages_in, messages_out } = totals;
  const rows = items.map(item => [
    `  ${item.name.padEnd(10)}`,
    `${String(item.messages_out).padStart(6)} messages`,
    `${String(item.resolved).padStart(6)} resolved`,
    `  first response ${secondsText(item.first_response.p50).padStart(7)}`,
    `  rated ${item.csat.mean === null ? '–' : item.csat.mean.toFixed(1)}`,
  ]);
  return [
    `The report of ${from.slice(0, 10)} (GET /v1/reports/conversations and members), first responses in the median:`,
    `  ${created} conversations, ${resolved} resolved, ${messages_in} messages in, ${messages_out} out`,
    ...rows.map(cells => cells.join('')),
    '',
  ].join('\n');
}

function secondsText(seconds: number | null): string {
  return seconds === null ? '–' : `${seconds.toFixed(1)} s`;
}
