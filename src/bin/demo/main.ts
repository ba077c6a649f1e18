import 'reflect-metadata';
import { setTimeout as wait } from 'node:timers/promises';
import { ServerClient, VisitorClient } from '@support-chat/sdk';
import { environment, loadConfig } from '../../config/config.js';
import { createLog } from '../../platform/logging/log.js';
import { Service } from '../../service.js';
import { ConfigInvalid } from '../../config/parse-env.js';
import { DEMO_AGENT, KEY_HOURS, openDesk, ROUTING } from './demo-desk.js';
import { Answers } from './answers.js';
import { DeskReport } from './desk-report.js';
import { freePort } from './free-port.js';
import { loadDialogues, playDialogues, progressLine, summaryText } from './index.js';
import { readOptions, USAGE } from './options.js';
import { Pace } from './pace.js';
import { findLastMessage, foundText } from './search-check.js';
import { ShopAgents } from './shop-agents.js';
import { openShopChannel } from './shop-channel.js';
import { AGENT_PATH, serveShopPage, SHOP_PATH, type Shop } from './shop-page.js';
import { COLLEAGUES } from './team.js';

/** High but finite rates, because one machine plays all visitors and agents. */
const RATES = 'register=1000/60,widget_session=100000/60,visitor=100000/60,visitor_message=100000/60,agent=1000000/60';

const BAD_ARGUMENTS = 2;
const BAD_CONFIGURATION = 78;
/** Maximum time (ms) that a stop waits for the API key to be revoked. The key expires anyway. */
const REVOKE_MS = 2_000;
/** The agents at the shop page type three times as fast as people, which shortens the wait of visitors. */
const SHOP_SPEED = 3;
/** Attempts to find a port that is not taken before the service listens on it. */
const MAX_ATTEMPTS = 5;

const print = (line = ''): void => void process.stdout.write(`${line}\n`);

const options = readOr(() => readOptions(process.argv.slice(2)), refuseArguments);
const dialogues = await loadDialogues(options.dialogues).catch(refuseArguments);
const config = readOr(() => loadConfig(environment({ RATE_LIMITS: RATES, LOG_LEVEL: 'warn' })), refuseConfiguration);
/** Revokes the API key of this run once it exists. */
let closeDesk = (): Promise<void> => Promise.resolve();
let closeShop = (): void => undefined;
const shopPage: Shop = {};
let service = new Service(config, log());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void finish(0));
const port = await start();
const baseUrl = urlOf(port);
print(`Talk to the desk yourself: ${baseUrl}${SHOP_PATH} is a shop with the chat widget, and its agents answer.`);
print(`See it as an agent: ${baseUrl}${AGENT_PATH} opens the dashboard, without a password.\n`);
print(`The service listens on ${baseUrl}. Playing ${Math.min(dialogues.length, options.limit ?? Infinity)} dialogues.`);
print(`Three agents are online; the service assigns each conversation to one of them.
Each arrow (→) is something that an agent, the visitor or the service does besides writing.\n`);

const { agents, widgetToken, apiKey, close } = await openDesk(baseUrl).catch(giveUp);
closeDesk = close;
shopPage.server = new ServerClient({ baseUrl, apiKey });
const [owner] = agents;
if (!owner) throw new Error('the demo workspace has no owner');
const shop = await openShopChannel(owner).catch(giveUp);
shopPage.widgetToken = shop.widget_token;
const shopAgents = await ShopAgents.begin(agents, shop.id, new Answers(dialogues), new Pace(SHOP_SPEED)).catch(giveUp);
closeShop = () => shopAgents.close();
const report = await DeskReport.begin(owner).catch(giveUp);
const many = options.atOnce > 1;
const summary = await playDialogues({
  baseUrl,
  agents,
  routing: ROUTING,
  widgetToken,
  dialogues,
  limit: options.limit,
  speed: options.speed,
  concurrency: options.atOnce,
  ...(many
    ? { onProgress: progress => progress.played % 32 === 0 && print(progressLine(progress)) }
    : { onDialogue: block => print(block) }),
});
print(summaryText(summary));
if (summary.failures.length > 0) await finish(1);
const lastPlayed = dialogues.slice(0, options.limit).at(-1);
const found = lastPlayed ? await findLastMessage(owner, lastPlayed).catch(giveUp) : null;
if (found) print(foundText(found));
if (!service.stopped) {
  const ratings = summary.outcomes.filter(({ score }) => score !== undefined).length;
  const { dialogues: conversations, messages } = summary;
  print(await report.read({ conversations, messages, ratings }).catch(giveUp));
}
if (options.exit || service.stopped) await finish(0);

const visitor = await VisitorClient.start({ baseUrl, widgetToken, name: 'You' });
print(`The service keeps running. To try it yourself:

  Shop page       ${baseUrl}${SHOP_PATH}
  Dashboard       ${baseUrl}${AGENT_PATH}
  API             ${baseUrl}/v1
  Reference       ${baseUrl}/docs
  Agent login     ${DEMO_AGENT.email}   ${DEMO_AGENT.password}
                  Colleagues with the same password: ${COLLEAGUES.map(({ email }) => email).join(', ')}
  Widget token    ${widgetToken}
  Visitor socket  ws://localhost:${port}/ws/visitor?token=${visitor.session.visitor_token}
                  This token lasts 24 hours; POST /v1/widget/session gets another.
  Agent socket    ws://localhost:${port}/ws/agent?token=${owner.tokens?.token ?? ''}
                  This token lasts 15 minutes; POST /v1/auth/login gets another.
  API key         ${apiKey}
                  It lasts until this demo stops, at most ${KEY_HOURS} hours.
  Single sign-on  curl -s ${baseUrl}/v1/auth/sso/ticket -H 'Authorization: Bearer ${apiKey}' \\
                    -H 'Content-Type: application/json' -d '{"email": "${DEMO_AGENT.email}"}'

Ctrl-C stops the service and its database.`);

/**
 * Starts the service on the configured port, or on another one when that is taken. Retries, because a port that was
 * free can be taken before the service listens: another demo may start at the same time.
 */
async function start(): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const free = await freePort(config.port);
    if (config.port !== 0 && free !== config.port) {
      print(`Port ${config.port} is taken: this demo listens on ${free} instead.`);
    }
    if (attempt === 1) print(`Starting the service (data under ${config.dataDir}) …`);
    const publicUrl = urlOf(free);
    const demoConfig = { ...config, port: free, publicUrl, dashboardUrl: `${publicUrl}/dashboard` };
    service = new Service(demoConfig, log(), app => serveShopPage(app, shopPage, DEMO_AGENT.email));
    void service.failed.then(error => quit(error.message));
    try {
      await service.start();
      return free;
    } catch (error) {
      if (service.stopped) return new Promise<never>(() => undefined);
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt === MAX_ATTEMPTS)
        quit((error as Error).message);
    }
  }
}

function urlOf(servicePort: number): string {
  return `http://localhost:${servicePort}`;
}

function log() {
  return createLog({ level: config.logLevel, pretty: true });
}

async function giveUp({ message }: Error): Promise<never> {
  process.stderr.write(`${message}\n`);
  return finish(1);
}

async function finish(code: number): Promise<never> {
  if (!service.stopped) {
    print('\nStopping …');
    closeShop();
    await Promise.race([closeDesk().catch(() => undefined), wait(REVOKE_MS)]);
  }
  await service.stop();
  return process.exit(code);
}

function readOr<T>(read: () => T, refuse: (error: Error) => never): T {
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
