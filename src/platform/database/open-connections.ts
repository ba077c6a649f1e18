import { Injectable } from '@nestjs/common';

/** A connection that can be closed without a word to the other side. */
export interface ClosableConnection {
  closeNow(): void;
}

/** The connections of one pool. A stop beside a database that does not answer closes them all. */
@Injectable()
export class OpenConnections {
  private readonly open = new Set<ClosableConnection>();
  private over = false;

  /** No connection is opened any more. */
  get closed(): boolean {
    return this.over;
  }

  add(connection: ClosableConnection): void {
    this.open.add(connection);
  }

  remove(connection: ClosableConnection): void {
    this.open.delete(connection);
  }

  /** Fails every statement that is under way, and every one that comes later. */
  closeAll(): void {
    this.over = true;
    for (const connection of this.open) connection.closeNow();
  }
}
