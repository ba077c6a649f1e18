import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { ExtractJwt, Strategy } from 'passport-jwt';

/** Copy of the secret in `tokens.js`, which is not TypeScript. */
export const secret = 'the secret of all opponents of this benchmark';

export interface User {
  id: string;
}

@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) {
  constructor() {
    super({ jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(), secretOrKey: secret });
  }

  validate(payload: { sub: string }): User {
    return { id: payload.sub };
  }
}
