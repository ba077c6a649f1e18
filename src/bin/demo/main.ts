import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { VisitorClient } from '@support-chat/sdk';
import { environment, loadConfig } from '../../config/config.js';
import { createLog } from '../../platform/logging/log.js';
import { Service } from '../../service.js';
import { DEMO_AGENT, openDesk } from './demo-desk.js';
import { freePort } from './free-port.js';
import { loadDialogues, playDialogues, progressLine, summaryText } from './index.js';

const USAGE = 'npm run demo -- [--dialogues FILE] [--speed N] [--at-once N] [--limit N] [--exit]';

/** Rates for one machine that plays everybody: high, and finite. */
const RATES = 'register=1000/60,widget_session=100000/60,visitor=100000/60,visitor_message=100000/60,agent=1000000/60';

const { values: options } = parseArgs({
  options: {
    dialogues: { type: 'string' },
    /** Times a person's pace; 0 is as fast as possible. */
    speed: { type: 'string', default: '40' },
    'at-once': { type: 'string', default: '1' },
    limit: { type: 'string' },
    /** Stop after the play instead of staying up. */
    exit: { type: 'boolean', default: false },
  },
});
const say = (line = ''): void => void process.stdout.write(`${line}\n`);

const dialogues = await loadDialogues(options.dialogues).catch((error: Error) => quit(`${error.message}\n${USAGE}`));
const wanted = loadConfig(environment({ RATE_LIMITS: RATES, LOG_LEVEL: 'warn' }));
const port = await freePort(wanted.port);
const baseUrl = `http://localhost:${port}`;
const config = { ...wanted, port, publicUrl: baseUrl, dashboardUrl: `${baseUrl}/dashboard` };
const service = new Service(config, createLog({ level: config.logLevel, pretty: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void finish(0));

say(`Starting the service (data under ${config.dataDir}) …`);
await service
  .start()
  .catch((error: Error) => (service.stopped ? new Promise<never>(() => undefined) : quit(error.message)));
say(`It listens on ${baseUrl}. Playing ${Math.min(dialogues.length, Number(options.limit ?? Infinity))} dialogues.\n`);

const { agent, widgetToken, apiKey } = await openDesk(baseUrl);
const many = Number(options['at-once']) > 1;
const summary = await playDialogues({
  baseUrl,
  agent,
  widgetToken,
  dialogues,
  limit: options.limit === undefined ? undefined : Number(options.limit),
  speed: Number(options.speed),
  concurrency: Number(options['at-once']),
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
  Agent socket    ws://localhost:${port}/ws/agent?token=${agent.tokens?.token ?? ''}
  API key         ${apiKey}
  Single sign-on  curl -s ${baseUrl}/v1/auth/sso/ticket -H 'Authorization: Bearer ${apiKey}' \\
                    -H 'Content-Type: application/json' -d '{"email": "${DEMO_AGENT.email}"}'

Ctrl-C stops the service and its database.`);

async function finish(code: number): Promise<void> {
  if (!service.stopped) say('\nStopping …');
  await service.stop();
  process.exit(code);
}

function quit(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
