import { openTimeBetween } from '../../kernel/opening.js';
import type { ChannelsService } from '../channels/index.js';
import type { WorkspacesService } from '../workspaces/index.js';
import type { Act, DurationName } from './fact.js';

type Origin = Pick<Act, 'workspaceId' | 'channelId'>;

/** Measures durations, in all and within business hours as they are set now. Reads each channel once. */
export class BusinessTimes {
  private readonly hours = new Map<string, ReturnType<BusinessTimes['findHours']>>();

  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly channels: ChannelsService,
  ) {}

  async measure(name: DurationName, origin: Origin, from: Date, to: Date): Promise<NonNullable<Act['duration']>> {
    const key = `${origin.workspaceId} ${origin.channelId}`;
    const found = this.hours.get(key) ?? this.findHours(origin);
    this.hours.set(key, found);
    const { hours, timezone } = await found;
    const ms = Math.max(0, to.getTime() - from.getTime());
    return { name, ms, businessMs: openTimeBetween(hours, timezone, from, to) };
  }

  private async findHours({ workspaceId, channelId }: Origin) {
    const workspace = await this.workspaces.find(workspaceId);
    const channel = await this.channels.find(workspaceId, channelId);
    return {
      hours: channel?.businessHours ?? workspace?.businessHours ?? null,
      timezone: workspace?.timezone ?? 'UTC',
    };
  }
}
