import { Injectable, Logger, OnModuleInit } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { AgentPrincipal } from '../../kernel/principal.js';
import { randomToken, sha256 } from '../../kernel/secret.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import type { QueuedMail } from '../../platform/mail/mail-composer.registry.js';
import { MailComposerRegistry } from '../../platform/mail/mail-composer.registry.js';
import { renderMail } from '../../platform/mail/mail-layout.js';
import { MailQueueService } from '../../platform/mail/mail-queue.service.js';
import { inertName } from '../../platform/mail/mail-text.js';
import type { Mail } from '../../platform/mail/mailer.js';
import { UsersService } from '../users/index.js';
import { AuthLogService } from './auth-log.service.js';
import { InvalidCredentials, ResetInvalid } from './auth.errors.js';
import { loginSuccesses } from './login-guesses.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

const RESET_MS = 3_600_000;
const RESET_MAIL = 'password_reset';

/** Changing and recovering passwords. */
@Injectable()
export class PasswordsService implements OnModuleInit {
  private readonly logger = new Logger(PasswordsService.name);

  constructor(
    private readonly units: UnitOfWork,
    private readonly users: UsersService,
    private readonly sessions: SessionsService,
    private readonly store: SessionsRepository,
    private readonly log: AuthLogService,
    private readonly mails: MailQueueService,
    private readonly composers: MailComposerRegistry,
    private readonly limiter: RateLimitService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.composers.add({ kind: RESET_MAIL, compose: queued => this.composeReset(queued) });
  }

  /**
   * Sets a new password and ends the user's other sessions, except those opened by other workspaces' API keys. Wrong
   * old passwords count as failed logins, so that a stolen token gives no extra guesses.
   * @throws RateLimited @throws InvalidCredentials if the old password is wrong
   */
  async change(principal: AgentPrincipal, oldPassword: string, newPassword: string): Promise<void> {
    const user = await this.users.find(principal.userId);
    if (!user) throw new InvalidCredentials();
    const checkPassword = () => this.users.hasPassword(user, oldPassword);
    if (!(await this.limiter.guess([['login_email', user.email]], checkPassword, loginSuccesses(user.email)))) {
      this.log.recordUserRefusal(user.id, { method: 'password', reason: 'invalid_credentials' }, true);
      throw new InvalidCredentials();
    }
    const hash = await this.users.hashPassword(newPassword, user.email);
    await this.units.run(async () => {
      if (!(await this.users.stillHasPassword(user))) throw new InvalidCredentials();
      await this.users.setPassword(user.id, hash);
      await this.store.spendAllResets(user.id, this.clock.now());
      await this.log.recordPasswordEvent('password.changed', user.id);
      await this.sessions.endOthers(principal);
    });
  }

  /**
   * Mails a reset link in the background, so that neither the response nor its time reveals whether the user exists.
   * @throws RateLimited per address and per e-mail; beyond the limit of the address the e-mail is not counted
   */
  async forgot(email: string, address: string): Promise<void> {
    await this.limiter.consume('password_forgot_address', address);
    await this.limiter.consume('password_forgot', email);
    this.sendLink(email).catch((error: unknown) => this.logger.error(error));
  }

  /**
   * Looks up the token before hashing, so that made-up tokens cost no hash. The token is spent after hashing: of two
   * concurrent uses one sets the password.
   * @throws ResetInvalid, and RateLimited after too many failures from one address
   */
  async reset(resetToken: string, password: string, address: string): Promise<void> {
    await this.limiter.assertBelow('password_reset', address);
    const ownerId = await this.store.findUserOfOpenReset(sha256(resetToken), this.clock.now());
    const owner = ownerId === undefined ? null : await this.users.find(ownerId);
    if (!owner) return this.refuseReset(resetToken, address);
    const hash = await this.users.hashPassword(password, owner.email);
    const done = await this.units.run(async () => {
      const userId = await this.store.spendReset(sha256(resetToken), this.clock.now());
      if (userId === undefined) return false;
      await this.users.setPassword(userId, hash);
      await this.store.spendAllResets(userId, this.clock.now());
      await this.log.recordPasswordEvent('password.reset', userId);
      await this.sessions.endAll(userId, 'password_reset');
      return true;
    });
    if (!done) await this.refuseReset(resetToken, address);
  }

  /** @throws ResetInvalid, RateLimited */
  private async refuseReset(resetToken: string, address: string): Promise<never> {
    await this.recordRefusal(sha256(resetToken));
    await this.limiter.fail('password_reset', address);
    throw new ResetInvalid();
  }

  /** Records the refusal for a known token. The response does not reveal that it was known. */
  private async recordRefusal(tokenHash: string): Promise<void> {
    const userId = await this.store.findUserOfReset(tokenHash);
    if (userId !== undefined) this.log.recordUserRefusal(userId, { method: 'password', reason: 'reset_invalid' });
  }

  private async sendLink(email: string): Promise<void> {
    const user = await this.users.findByEmail(email);
    if (!user?.passwordHash) return;
    const token = randomToken('rst_');
    const expiresAt = new Date(this.clock.now().getTime() + RESET_MS);
    const reset = { id: newId(), userId: user.id, tokenHash: sha256(token), spentAt: null, expiresAt };
    await this.units.run(async () => {
      await this.store.insertReset(reset);
      await this.log.recordPasswordEvent('password.reset_requested', user.id);
      await this.mails.add({ workspaceId: null, kind: RESET_MAIL, subjectId: reset.id, data: { token } });
    });
  }

  /** @returns null if the link was used or has expired */
  private async composeReset({ data }: QueuedMail): Promise<Mail | null> {
    const { token } = data as { token: string };
    const userId = await this.store.findUserOfOpenReset(sha256(token), this.clock.now());
    const user = userId === undefined ? null : await this.users.find(userId);
    if (!user) return null;
    const subject = 'Set a new password';
    const body = renderMail(subject, [
      { kind: 'text', text: greeting(user.name) },
      { kind: 'text', text: 'we received a request to set a new password. This link works once, within an hour:' },
      { kind: 'link', label: 'Set a new password', url: `${this.config.dashboardUrl}#reset=${token}` },
      { kind: 'small', text: 'If you did not request it, ignore this mail: nothing has changed.' },
    ]);
    return { to: user.email, subject, ...body };
  }
}

/** The name is untrusted text from registration, so it is made inert. */
function greeting(name: string): string {
  const inert = inertName(name);
  return inert === '' ? 'Hello,' : `Hello ${inert},`;
}
