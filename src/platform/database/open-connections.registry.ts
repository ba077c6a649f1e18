import { Injectable } from '@nestjs/common';

/** A connection that can be closed without notice to the server. */
export interface ClosableConnection {
  closeNow(): void;
}

/** Registry of the pool's connections. A stop closes them all when the database does not respond. */
@Injectable()
export class OpenConnectionsRegistry {
  private readonly open = new Set<ClosableConnection>();
  private allClosed = false;

  /** True once no connection may be opened any more. */
  get closed(): boolean {
    return this.allClosed;
  }

  add(connection: ClosableConnection): void {
    this.open.add(connection);
  }

  remove(connection: ClosableConnection): void {
    this.open.delete(connection);
  }

  /** Fails all running statements and all later ones. */
  closeAll(): void {
    this.allClosed = true;
    for (const connection of this.open) connection.closeNow();
  }
}
