import { Injectable, OnModuleInit } from '@nestjs/common';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { EventTail } from '../../platform/events/event-tail.js';
import { SocketHub } from '../../platform/sockets/socket-hub.js';
import type { Delivery } from './event-deliveries.service.js';
import { EventDeliveriesService } from './event-deliveries.service.js';
import { eventFrame, serializeFrame, syncRequired } from './event-frames.js';
import { FrameViewsService } from './frame-views.service.js';

/** Turns each committed event into frames: one serialisation per audience, none for rooms where nobody is. */
@Injectable()
export class DeliveryService implements OnModuleInit {
  constructor(
    private readonly tail: EventTail,
    private readonly hub: SocketHub,
    private readonly deliveries: EventDeliveriesService,
    private readonly views: FrameViewsService,
  ) {}

  onModuleInit(): void {
    this.tail.listen(event => this.deliver(event));
    this.tail.onNewEpoch(() => {
      for (const connection of this.hub.connections) connection.send(syncRequired('epoch'));
    });
  }

  private deliver<T extends EventType>(event: RecordedEvent<T>): void {
    const { agent, scopedAgent, visitor, closes } = this.deliveries.of(event);
    for (const hearing of [agent, scopedAgent, visitor]) if (hearing) this.send(event, hearing);
    const ending = closes?.();
    if (ending) this.hub.close(ending.topic, ending.reason);
  }

  private send(event: RecordedEvent, { topics, data }: Delivery): void {
    const heard = topics.filter(topic => this.hub.hasSubscribers(topic));
    if (heard.length === 0) return;
    const told = data();
    if (told)
      this.hub.broadcast(heard, serializeFrame(eventFrame(event, this.views.render(event, told)), this.tail.cursor));
  }
}
