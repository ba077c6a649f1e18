import type { IncomingMessage } from 'node:http';
import type { Admission, SocketConnection } from './socket-connection.js';

/** A request to open a socket, before the upgrade. */
export interface Handshake {
  path: string;
  query: URLSearchParams;
  request: IncomingMessage;
  /** The client's network, by which limits count without a valid credential. */
  network: string;
}

/** Decides who may open a socket and which topics it joins. Implemented by the realtime module. */
export abstract class ConnectionAuthorizer {
  /** @throws DomainError, which becomes the HTTP response to the upgrade */
  abstract admit(handshake: Handshake): Promise<Admission>;

  /** Called once the socket is open and in the hub. Sends the first frames and the missed ones. */
  abstract onOpen(connection: SocketConnection): Promise<void>;

  /** Called once, a minute before the socket's token expires. @param seconds until then */
  abstract onTokenExpiring(connection: SocketConnection, seconds: number): void;
}
