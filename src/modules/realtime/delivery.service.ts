import { Injectable, OnModuleInit } from '@nestjs/common';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { EventTailJob } from '../../platform/events/event-tail.job.js';
import { SocketHub } from '../../platform/sockets/socket-hub.js';
import type { Delivery } from './event-deliveries.service.js';
import { EventDeliveriesService } from './event-deliveries.service.js';
import { eventFrame, serializeFrame, syncRequired } from './event-frames.js';
import { FrameViewsService } from './frame-views.service.js';

/** Sends each committed event as frames, serialized once per audience and only if its topics have sockets. */
@Injectable()
export class DeliveryService implements OnModuleInit {
  constructor(
    private readonly tail: EventTailJob,
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
    for (const delivery of [agent, scopedAgent, visitor]) if (delivery) this.send(event, delivery);
    const closure = closes?.();
    if (closure) this.hub.close(closure.topic, closure.reason);
  }

  private send(event: RecordedEvent, { topics, data }: Delivery): void {
    const subscribed = topics.filter(topic => this.hub.hasSubscribers(topic));
    if (subscribed.length === 0) return;
    const payload = data();
    if (!payload) return;
    const frame = eventFrame(event, this.views.render(event, payload));
    this.hub.broadcast(subscribed, serializeFrame(frame, this.tail.cursor));
  }
}
