import { Injectable, OnModuleInit } from '@nestjs/common';
import { DomainError, ErrorKind, ErrorOptions, defineError } from '../../kernel/domain-error.js';
import { isId } from '../../kernel/ids.js';
import { sha256 } from '../../kernel/secret.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { CipherService } from '../encryption/cipher.service.js';
import { ErasureStepRegistry, SUBJECT_KINDS } from '../erasure/erasure-step.registry.js';
import { IdempotencyRepository } from './idempotency.repository.js';

const IdempotencyKeyInvalid = defineError(
  'invalid',
  'idempotency_key_invalid',
  'The Idempotency-Key must have 1 to 255 printable ASCII characters.',
);
const IdempotencyKeyReused = defineError(
  'unprocessable',
  'idempotency_key_reused',
  'This Idempotency-Key was already used for a different request; use a new key.',
);
const IdempotencyInProgress = defineError(
  'conflict',
  'idempotency_in_progress',
  'The first request with this Idempotency-Key is still running; try again later.',
);
const AnswerErased = defineError(
  'gone',
  'answer_erased',
  'The first request with this Idempotency-Key succeeded, but its answer was erased with the personal data in it.',
);

export interface IdempotentRequest {
  key: string;
  /** The namespace of the key: caller, scope and path. */
  owner: string;
  workspaceId: string;
  body: unknown;
  /** The id in the path, if any: the row that the work will lock. */
  row?: string | undefined;
}

type Answer = { ok: true; status: number; data: unknown } | { ok: false; error: StoredError };

/** The result of the work or its error, either from this request or replayed from the first one. */
export type Outcome = { replayed: boolean } & (
  { ok: true; status: number; data: unknown } | { ok: false; error: DomainError }
);
interface StoredError extends ErrorOptions {
  kind: ErrorKind;
  code: string;
  message: string;
}

/**
 * Error kinds that are stored. Errors about credentials, rate limits or internal faults are not: a retry may succeed.
 */
const STORED_KINDS: ReadonlySet<ErrorKind> = new Set([
  'invalid',
  'not_found',
  'conflict',
  'gone',
  'too_large',
  'unsupported_media_type',
  'unprocessable',
]);

/**
 * Ensures that each Idempotency-Key has at most one effect. The work and its stored answer commit together, so a crash
 * leaves neither. Of concurrent requests one does the work, and the others get `idempotency_in_progress`.
 */
@Injectable()
export class IdempotencyService implements OnModuleInit {
  constructor(
    private readonly units: UnitOfWork,
    private readonly answers: IdempotencyRepository,
    private readonly cipher: CipherService,
    private readonly erasures: ErasureStepRegistry,
  ) {}

  onModuleInit(): void {
    this.erasures.add({
      name: 'kept answers',
      kinds: SUBJECT_KINDS,
      scrub: async ({ workspaceId, id }, _after, limit) => {
        const scrubbed = await this.answers.scrubSlice(workspaceId, id, limit);
        return { scrubbed, after: scrubbed === limit ? '0' : null };
      },
    });
  }

  /**
   * Runs the work, or returns the stored answer of an earlier request.
   * @throws IdempotencyInProgress, AnswerErased, IdempotencyKeyReused, IdempotencyKeyInvalid
   */
  async runOnce(request: IdempotentRequest, work: () => Promise<{ status: number; data: unknown }>): Promise<Outcome> {
    const { id, requestHash } = identityOf(request);
    const { answer, replayed } = await this.units.run(
      async () => {
        if (!(await this.answers.tryLock(id))) throw new IdempotencyInProgress();
        const stored = await this.find(request);
        if (stored) return { answer: stored, replayed: true };
        const answer = await this.attempt(work);
        const encrypted = this.encrypt(answer, request.key);
        const about = answer.ok ? idsIn(answer.data) : [];
        await this.answers.save({ id, workspaceId: request.workspaceId, requestHash, answer: encrypted, about });
        return { answer, replayed: false };
      },
      { row: request.row },
    );
    return toOutcome(answer, replayed);
  }

  /**
   * Returns the stored answer without a transaction, or null when there is none yet.
   * @throws AnswerErased, IdempotencyKeyReused, IdempotencyKeyInvalid
   */
  async replay(request: IdempotentRequest): Promise<Outcome | null> {
    const stored = await this.find(request);
    return stored && toOutcome(stored, true);
  }

  private async find(request: IdempotentRequest): Promise<Answer | null> {
    const { id, requestHash } = identityOf(request);
    const stored = await this.answers.find(id);
    if (!stored) return null;
    if (stored.answer === null) throw new AnswerErased();
    if (stored.requestHash !== requestHash) throw new IdempotencyKeyReused();
    return this.decrypt(stored.answer, request.key);
  }

  /** Runs the work in a savepoint, so that an error that will be stored undoes only the work's changes. */
  private async attempt(work: () => Promise<{ status: number; data: unknown }>): Promise<Answer> {
    try {
      return { ok: true, ...(await this.units.savepoint(work)) };
    } catch (error) {
      if (!(error instanceof DomainError) || !STORED_KINDS.has(error.kind)) throw error;
      const { kind, code, message, details, data } = error;
      return { ok: false, error: { kind, code, message, ...(details && { details }), ...(data && { data }) } };
    }
  }

  private encrypt(answer: Answer, key: string): string {
    return this.cipher.encrypt(JSON.stringify(answer), `idempotency:${key}`);
  }

  private decrypt(encrypted: string, key: string): Answer {
    return JSON.parse(this.cipher.decrypt(encrypted, `idempotency:${key}`)) as Answer;
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

/** Collects every id in an answer. */
function idsIn(data: unknown): string[] {
  if (typeof data === 'string') return isId(data) ? [data] : [];
  if (typeof data !== 'object' || data === null) return [];
  return [...new Set(Object.values(data).flatMap(idsIn))];
}
