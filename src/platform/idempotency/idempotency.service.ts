import { Injectable, OnModuleInit } from '@nestjs/common';
import { DomainError, ErrorKind, ErrorOptions, defineError } from '../../kernel/domain-error.js';
import { isId } from '../../kernel/ids.js';
import { sha256 } from '../../kernel/secret.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { Cipher } from '../encryption/cipher.js';
import { ErasureSteps } from '../erasure/erasure-steps.js';
import { IdempotencyRepository } from './idempotency.repository.js';

export const IdempotencyKeyInvalid = defineError(
  'invalid',
  'idempotency_key_invalid',
  'An Idempotency-Key is 1 to 255 printable ASCII characters.',
);
export const IdempotencyKeyReused = defineError(
  'unprocessable',
  'idempotency_key_reused',
  'This Idempotency-Key was used for another request.',
);
export const IdempotencyInProgress = defineError(
  'conflict',
  'idempotency_in_progress',
  'The first request with this Idempotency-Key is still running.',
);
export const AnswerErased = defineError(
  'gone',
  'answer_erased',
  'The first request with this Idempotency-Key was done; what it answered has been erased with whom it was about.',
);

export interface IdempotentRequest {
  key: string;
  /** Whose key it is: caller, scope and path. */
  owner: string;
  workspaceId: string;
  body: unknown;
  /** The id that the path names, where it names one: what the work will lock. */
  row?: string | undefined;
}

type Answer = { ok: true; status: number; data: unknown } | { ok: false; error: KeptError };

/** What the work came to: its result, or the refusal that is kept in its place; now, or at the first request. */
export type Outcome = { replayed: boolean } & (
  { ok: true; status: number; data: unknown } | { ok: false; error: DomainError }
);
interface KeptError extends ErrorOptions {
  kind: ErrorKind;
  code: string;
  message: string;
}

/** Kept are answers that a retry would get again anyway: not those about credentials, limits, or our own trouble. */
const KEPT_KINDS: ReadonlySet<ErrorKind> = new Set([
  'invalid',
  'not_found',
  'conflict',
  'gone',
  'too_large',
  'unsupported_media_type',
  'unprocessable',
]);

/**
 * One Idempotency-Key, one effect: the work and its kept answer commit together, so a crash leaves neither, and of
 * racing twins one does the work while the others are told that it is still running.
 */
@Injectable()
export class IdempotencyService implements OnModuleInit {
  constructor(
    private readonly units: UnitOfWork,
    private readonly answers: IdempotencyRepository,
    private readonly cipher: Cipher,
    private readonly erasures: ErasureSteps,
  ) {}

  onModuleInit(): void {
    this.erasures.add({
      name: 'kept answers',
      kinds: ['contact', 'conversation'],
      scrub: async ({ workspaceId, id }, _after, limit) => {
        const scrubbed = await this.answers.scrubSlice(workspaceId, id, limit);
        return { scrubbed, after: scrubbed === limit ? '0' : null };
      },
    });
  }

  async runOnce(request: IdempotentRequest, work: () => Promise<{ status: number; data: unknown }>): Promise<Outcome> {
    const { id, requestHash } = identityOf(request);
    const { answer, replayed } = await this.units.run(
      async () => {
        if (!(await this.answers.tryLock(id))) throw new IdempotencyInProgress();
        const kept = await this.find(request);
        if (kept) return { answer: kept, replayed: true };
        const answer = await this.attempt(work);
        const sealed = this.encrypt(answer, request.key);
        const about = answer.ok ? idsIn(answer.data) : [];
        await this.answers.save({ id, workspaceId: request.workspaceId, requestHash, answer: sealed, about });
        return { answer, replayed: false };
      },
      { row: request.row },
    );
    return toOutcome(answer, replayed);
  }

  /**
   * The kept answer, without a transaction and without the work; null where there is none as yet.
   * @throws AnswerErased, IdempotencyKeyReused, IdempotencyKeyInvalid
   */
  async replay(request: IdempotentRequest): Promise<Outcome | null> {
    const kept = await this.find(request);
    return kept && toOutcome(kept, true);
  }

  private async find(request: IdempotentRequest): Promise<Answer | null> {
    const { id, requestHash } = identityOf(request);
    const kept = await this.answers.find(id);
    if (!kept) return null;
    if (kept.answer === null) throw new AnswerErased();
    if (kept.requestHash !== requestHash) throw new IdempotencyKeyReused();
    return this.open(kept.answer, request.key);
  }

  /** A refusal that will be kept undoes the work's own changes and nothing else. */
  private async attempt(work: () => Promise<{ status: number; data: unknown }>): Promise<Answer> {
    try {
      return { ok: true, ...(await this.units.savepoint(work)) };
    } catch (error) {
      if (!(error instanceof DomainError) || !KEPT_KINDS.has(error.kind)) throw error;
      const { kind, code, message, details, data } = error;
      return { ok: false, error: { kind, code, message, ...(details && { details }), ...(data && { data }) } };
    }
  }

  private encrypt(answer: Answer, key: string): string {
    return this.cipher.encrypt(JSON.stringify(answer), `idempotency:${key}`);
  }

  private open(sealed: string, key: string): Answer {
    return JSON.parse(this.cipher.decrypt(sealed, `idempotency:${key}`)) as Answer;
  }
}

function identityOf({ key, owner, body }: IdempotentRequest): { id: string; requestHash: string } {
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw new IdempotencyKeyInvalid();
  return { id: sha256(`${owner}\n${key}`), requestHash: sha256(JSON.stringify(body)) };
}

function toOutcome(answer: Answer, replayed: boolean): Outcome {
  if (answer.ok) return { ...answer, replayed };
  const { kind, code, message, ...options } = answer.error;
  return { ok: false, error: new DomainError(kind, code, message, options), replayed };
}

/** Every id that an answer names, of whatever kind. */
function idsIn(data: unknown): string[] {
  if (typeof data === 'string') return isId(data) ? [data] : [];
  if (typeof data !== 'object' || data === null) return [];
  return [...new Set(Object.values(data).flatMap(idsIn))];
}
