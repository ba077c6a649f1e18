import { IncomingMessage, ServerResponse } from 'node:http';
import type { Application } from 'express';

const upgrading = Symbol('upgrading');

/** The prototypes that express sets; documented, but not in its types. */
export interface ExpressPrototypes {
  request: object;
  response: object;
}

/** What Node makes for each request. */
export interface MessageClasses {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
}

/**
 * Requests and responses that are express's from their birth. express gives each of Node's its own methods by setting
 * their prototypes, upon which the engine forgets what it knows of such objects: two thirds of what express costs.
 * An object that has the prototype already is left as it is. Where express sets another one than its documented
 * `app.request` and `app.response`, it is as it would be without this: slower, and right.
 */
export function expressClasses(app: Application & ExpressPrototypes): MessageClasses {
  /**
   * Node takes every request with an `Upgrade` away from the handlers once anybody listens to upgrades, whatever it wants
   * to be upgraded to. Only a WebSocket is one here; others, as `Upgrade: h2c` of an eager client, are answered like any
   * request, as HTTP allows (RFC 9110, 7.8). Node 24 has `shouldUpgradeCallback` for this, Node 20 has not.
   */
  class ExpressRequest extends IncomingMessage {
    private [upgrading]: boolean | null = null;

    set upgrade(asked: boolean | null) {
      this[upgrading] = asked;
    }

    get upgrade(): boolean {
      return this[upgrading] === true && this.headers.upgrade?.toLowerCase() === 'websocket';
    }
  }
  class ExpressResponse<Asked extends IncomingMessage> extends ServerResponse<Asked> {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  app.request = ExpressRequest.prototype;
  app.response = ExpressResponse.prototype;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
