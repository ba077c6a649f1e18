import { Catch, ExceptionFilter } from '@nestjs/common';

/** Rethrows errors of frame handlers to the dispatcher, which sends an error frame. Replaces Nest's default filter. */
@Catch()
export class RethrowFilter implements ExceptionFilter {
  catch(thrown: unknown): never {
    throw thrown;
  }
}
