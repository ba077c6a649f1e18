import type { IncomingMessage } from 'node:http';
import type { Admission, SocketConnection } from './socket-connection.js';

/** A request to open a socket, before anything was accepted. */
export interface Handshake {
  path: string;
  query: URLSearchParams;
  request: IncomingMessage;
  /** What limits count by where there is no credential. */
  network: string;
}

/** The port behind which the rooms decide who may open a socket, and what it may then hear. */
export abstract class ConnectionAuthorizer {
  /** @throws DomainError, which becomes the HTTP answer to the upgrade */
  abstract admit(handshake: Handshake): Promise<Admission>;

  /** Called once the socket is open and in the hub; sends what every socket hears first, and what it has missed. */
  abstract onOpen(connection: SocketConnection): Promise<void>;

  /** Called once, a minute before its token ends. @param seconds until then */
  abstract onTokenExpiring(connection: SocketConnection, seconds: number): void;
}
