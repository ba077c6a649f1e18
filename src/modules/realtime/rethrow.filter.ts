import { Catch, ExceptionFilter } from '@nestjs/common';

/** Hands errors of frame handlers to the dispatcher, which answers with an error frame; Nest's own filter would not. */
@Catch()
export class RethrowFilter implements ExceptionFilter {
  catch(thrown: unknown): never {
    throw thrown;
  }
}
