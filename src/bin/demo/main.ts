import 'reflect-metadata';
import { setTimeout as wait } from 'node:timers/promises';
import { VisitorClient } from '@support-chat/sdk';
import { environment, loadConfig } from '../../config/config.js';
import { createLog } from '../../platform/logging/log.js';
import { Service } from '../../service.js';
import { ConfigInvalid } from '../../config/env.js';
import { DEMO_AGENT, KEY_HOURS, openDesk } from './demo-desk.js';
import { freePort } from './free-port.js';
import { loadDialogues, playDialogues, progressLine, summaryText } from './index.js';
import { readOptions, USAGE } from './options.js';

/** Rates for one machine that plays everybody: high, and finite. */
const RATES = 'register=1000/60,widget_session=100000/60,visitor=100000/60,visitor_message=100000/60,agent=1000000/60';

const BAD_ARGUMENTS = 2;
const BAD_CONFIGURATION = 78;
/** How long (ms) a stop waits until this run's key is revoked; it expires by itself. */
const PARTING_MS = 2_000;
/** How often a port is looked for that nobody takes before the service listens on it. */
const TRIES = 5;

const say = (line = ''): void => void process.stdout.write(`${line}\n`);

const options = attempt(() => readOptions(process.argv.slice(2)), refuseArguments);
const dialogues = await loadDialogues(options.dialogues).catch(refuseArguments);
const wanted = attempt(() => loadConfig(environment({ RATE_LIMITS: RATES, LOG_LEVEL: 'warn' })), refuseConfiguration);
/** Revokes this run's key, once there is one. */
let closeDesk = (): Promise<void> => Promise.resolve();
let service = new Service(wanted, log());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void finish(0));
const port = await start();
const baseUrl = urlOf(port);
say(`It listens on ${baseUrl}. Playing ${Math.min(dialogues.length, options.limit ?? Infinity)} dialogues.\n`);

const { agent, widgetToken, apiKey, close } = await openDesk(baseUrl).catch(giveUp);
closeDesk = close;
const many = options.atOnce > 1;
const summary = await playDialogues({
  baseUrl,
  agent,
  widgetToken,
  dialogues,
  limit: options.limit,
  speed: options.speed,
  concurrency: options.atOnce,
  ...(many
    ? { onProgress: progress => progress.played % 32 === 0 && say(progressLine(progress)) }
    : { onDialogue: block => say(block) }),
});
say(summaryText(summary));
if (options.exit || service.stopped) await finish(summary.failures.length === 0 ? 0 : 1);

const visitor = await VisitorClient.start({ baseUrl, widgetToken, name: 'You' });
say(`The service stays up. To try it yourself:

  API             ${baseUrl}/v1
  Reference       ${baseUrl}/docs
  Agent login     ${DEMO_AGENT.email}   ${DEMO_AGENT.password}
  Widget token    ${widgetToken}
  Visitor socket  ws://localhost:${port}/ws/visitor?token=${visitor.session.visitor_token}
                  This token lasts 24 hours; POST /v1/widget/session gets another.
  Agent socket    ws://localhost:${port}/ws/agent?token=${agent.tokens?.token ?? ''}
                  This token lasts 15 minutes; POST /v1/auth/login gets another.
  API key         ${apiKey}
                  It lasts until this demo stops, at most ${KEY_HOURS} hours.
  Single sign-on  curl -s ${baseUrl}/v1/auth/sso/ticket -H 'Authorization: Bearer ${apiKey}' \\
                    -H 'Content-Type: application/json' -d '{"email": "${DEMO_AGENT.email}"}'

Ctrl-C stops the service and its database.`);

/**
 * Starts the service on the wanted port or, where that is taken, on another one. A port that was free when it was looked
 * for can be taken when the service listens: another demo may start at the same time.
 */
async function start(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const free = await freePort(wanted.port);
    if (wanted.port !== 0 && free !== wanted.port) {
      say(`Port ${wanted.port} is taken: this demo listens on ${free} instead.`);
    }
    if (tries === 1) say(`Starting the service (data under ${wanted.dataDir}) …`);
    const publicUrl = urlOf(free);
    service = new Service({ ...wanted, port: free, publicUrl, dashboardUrl: `${publicUrl}/dashboard` }, log());
    void service.failed.then(error => quit(error.message));
    try {
      await service.start();
      return free;
    } catch (error) {
      if (service.stopped) return new Promise<never>(() => undefined);
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === TRIES) quit((error as Error).message);
    }
  }
}

function urlOf(ofPort: number): string {
  return `http://localhost:${ofPort}`;
}

function log() {
  return createLog({ level: wanted.logLevel, pretty: true });
}

async function giveUp({ message }: Error): Promise<never> {
  process.stderr.write(`${message}\n`);
  return finish(1);
}

async function finish(code: number): Promise<never> {
  if (!service.stopped) {
    say('\nStopping …');
    await Promise.race([closeDesk().catch(() => undefined), wait(PARTING_MS)]);
  }
  await service.stop();
  return process.exit(code);
}

function attempt<T>(read: () => T, refuse: (error: Error) => never): T {
  try {
    return read();
  } catch (error) {
    return refuse(error as Error);
  }
}

function refuseArguments({ message }: Error): never {
  return quit(`${message.replace(/\s+/g, ' ')} ${USAGE}`, BAD_ARGUMENTS);
}

function refuseConfiguration(error: Error): never {
  if (!(error instanceof ConfigInvalid)) throw error;
  return quit(error.message, BAD_CONFIGURATION);
}

function quit(message: string, code = 1): never {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
