import { IncomingMessage, ServerResponse } from 'node:http';
import type { Application } from 'express';

const upgrading = Symbol('upgrading');

/** Express's request and response prototypes: documented, but missing in its types. */
export interface ExpressPrototypes {
  request: object;
  response: object;
}

/** The classes that Node instantiates for each request. */
export interface MessageClasses {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
}

/**
 * Creates Node request and response classes that already have express's prototypes. Express otherwise sets the
 * prototype of each object, which invalidates the engine's optimizations and is two thirds of express's cost.
 *
 * If a version of express sets other prototypes than its documented `app.request` and `app.response`, requests are
 * slower but correct.
 */
export function expressClasses(app: Application & ExpressPrototypes): MessageClasses {
  /**
   * Reports only WebSocket upgrades as upgrades. Other `Upgrade` headers, such as `h2c`, are ignored and the request is
   * handled normally, as HTTP allows (RFC 9110, 7.8).
   *
   * Without this, Node withholds every request with an `Upgrade` header from the handlers once there is an upgrade
   * listener. Node 24 has `shouldUpgradeCallback` for this, Node 20 does not.
   */
  class ExpressRequest extends IncomingMessage {
    private [upgrading]: boolean | null = null;

    set upgrade(value: boolean | null) {
      this[upgrading] = value;
    }

    get upgrade(): boolean {
      return this[upgrading] === true && this.headers.upgrade?.toLowerCase() === 'websocket';
    }
  }
  class ExpressResponse<Incoming extends IncomingMessage> extends ServerResponse<Incoming> {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  app.request = ExpressRequest.prototype;
  app.response = ExpressResponse.prototype;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
