import { Injectable, OnModuleInit } from '@nestjs/common';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { EventTail } from '../../platform/events/event-tail.js';
import { SocketHub } from '../../platform/sockets/socket-hub.js';
import type { Hearing } from './event-frames.js';
import { eventFrame, hearingsOf, serialised, syncRequired } from './event-frames.js';
import { FrameViews } from './frame-views.service.js';

/** Turns each committed event into frames: one serialisation per audience, none for rooms where nobody is. */
@Injectable()
export class DeliveryService implements OnModuleInit {
  constructor(
    private readonly tail: EventTail,
    private readonly hub: SocketHub,
    private readonly views: FrameViews,
  ) {}

  onModuleInit(): void {
    this.tail.listen(event => this.deliver(event));
    this.tail.onNewEpoch(() => {
      for (const connection of this.hub.connections) connection.send(syncRequired('epoch'));
    });
  }

  private deliver<T extends EventType>(event: RecordedEvent<T>): void {
    const { agent, scopedAgent, visitor, closes } = hearingsOf(event);
    for (const hearing of [agent, scopedAgent, visitor]) if (hearing) this.send(event, hearing);
    const ending = closes?.();
    if (ending) this.hub.close(ending.topic, ending.reason);
  }

  private send(event: RecordedEvent, { topics, data }: Hearing): void {
    const heard = topics.filter(topic => this.hub.hears(topic));
    if (heard.length === 0) return;
    const told = data();
    if (told) this.hub.broadcast(heard, serialised(eventFrame(event, this.views.of(event, told)), this.tail.cursor));
  }
}
