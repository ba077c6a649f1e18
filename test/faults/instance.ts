import { request } from 'node:http';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { ServiceProcess } from '../support/service-process.js';
import type { ProcessEnd, Resources } from './history.js';
import { now } from './history.js';

const POINTS = ['--import', './test/faults/points.js', '--expose-gc'];
/** Longer than a start takes beside others on two cores. */
const START_MS = 180_000;
const GRIPES = /unhandled|uncaught/i;

/** Action at a fault point: at the `after`th pass from now, `times` times, then at every `every`th pass. */
export interface Rule {
  point: 'write' | 'commit' | 'publish' | 'answer' | 'mail' | 'mailed' | 'request' | 'requested';
  action: 'kill' | 'hold' | 'cut' | 'drop' | 'deadlock' | 'serialization' | 'shutdown';
  after?: number;
  times?: number;
  every?: number;
  ms?: number;
  /** Names of workers for due rows; only their passes count. */
  workers?: readonly string[];
}

/** A service process with fault points, on a port that it keeps across restarts. */
export class Instance {
  readonly ended: ProcessEnd[] = [];
  private readonly complaints: { instance: string; line: string }[] = [];
  private service: ServiceProcess | null = null;
  private stopRequestedAt: number | null = null;
  private killed = false;
  private retired = false;
  private orders = 0;
  /** Defects that the process has again when it restarts. */
  private readonly mutants = new Set<string>();
  /** Number of log lines already checked. */
  private read = 0;

  private constructor(
    readonly name: string,
    readonly port: number,
    private readonly env: Record<string, string>,
  ) {}

  /** Reserves a free port without starting the process. */
  static async on(name: string, env: Record<string, string>): Promise<Instance> {
    return new Instance(name, await freePort(), env);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.service?.child.pid ?? 0;
  }

  get alive(): boolean {
    return this.service !== null;
  }

  /** True if a fault has killed it, or may do so at any moment. */
  get isDoomed(): boolean {
    return this.killed;
  }

  /** @throws after `retire`, so that a late repair does not start it again */
  async start(): Promise<void> {
    if (this.retired) throw new Error(`${this.name} is retired`);
    this.stopRequestedAt = null;
    this.killed = false;
    const env = { LOG_LEVEL: 'warn', ...this.env, PORT: String(this.port) };
    const service = ServiceProcess.start(env, { flags: POINTS, talks: true });
    this.service = service;
    service.child.on('error', () => undefined);
    this.read = 0;
    void service.ended.then(
      ({ code, signal }) => this.recordEnd(service, signal ?? `exit ${code}`),
      (leak: Error) => this.recordEnd(service, leak.message),
    );
    await this.ready();
    for (const mutant of this.mutants) await this.order('mutate', { mutant, on: true });
  }

  /** Waits until /readyz answers 200. */
  async ready(): Promise<void> {
    await eventually(async () => {
      if (!this.service) throw new Error(`${this.name} ended while starting:\n${this.complained()}`);
      return (await answersAt(`${this.url}/readyz`)) || undefined;
    }, START_MS);
  }

  /** Kills the process for good. */
  async retire(): Promise<void> {
    this.retired = true;
    this.signal('SIGCONT');
    await this.kill();
  }

  async kill(): Promise<void> {
    this.killed = true;
    await this.service?.kill();
  }

  /** Waits for a fault point to kill the process. @returns true if it died in time */
  dies(ms: number): Promise<boolean> {
    return eventually(() => (this.service ? undefined : true), ms).catch(() => false);
  }

  async stop(): Promise<void> {
    if (!this.service) return;
    this.stopRequestedAt ??= now();
    await this.service.stop();
  }

  signal(signal: NodeJS.Signals): void {
    this.service?.child.kill(signal);
  }

  /** Replaces all rules. */
  async arm(...rules: Rule[]): Promise<void> {
    const kills = rules.some(({ action }) => action === 'kill');
    this.killed ||= kills;
    await this.order('arm', { rules });
    this.killed = kills;
  }

  /** Adds a defect, or removes it, also for later starts. */
  async mutate(mutant: string, on: boolean): Promise<void> {
    if (on) this.mutants.add(mutant);
    else this.mutants.delete(mutant);
    if (this.alive) await this.order('mutate', { mutant, on });
  }

  /** Number of mails that it is handing to the mail server. */
  async countSending(): Promise<number> {
    return (await this.order<{ sending: number }>('sending', {})).sending;
  }

  /** Leases of webhooks that it has. */
  async leases(): Promise<string[]> {
    return (await this.order<{ leases: string[] }>('leases', {})).leases;
  }

  async resources(after: boolean): Promise<Omit<Resources, 'connections'>> {
    const measured = await this.order<Pick<Resources, 'heapMiB' | 'descriptors' | 'timers'>>('resources', {});
    return { instance: this.name, after, ...measured };
  }

  /** Sends an order to the code inside the process. @throws if it fails or does not answer */
  async order<T>(order: string, more: object): Promise<T> {
    const child = this.service?.child;
    if (!child) throw new Error(`${this.name} is not running and cannot do "${order}"`);
    const id = (this.orders += 1);
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => done(new Error(`${this.name} did not answer "${order}"`)), 10_000);
      const take = (message: unknown) => {
        const { id: of, fault, ...answer } = message as { id: number; fault?: string };
        if (of === id) done(fault === undefined ? null : new Error(`${order}: ${fault}`), answer as T);
      };
      const left = () => done(new Error(`${this.name} ended during "${order}"`));
      const done = (error: Error | null, answer?: T) => {
        clearTimeout(timer);
        child.off('message', take);
        child.off('exit', left);
        if (error) reject(error);
        else resolve(answer as T);
      };
      child.on('message', take);
      child.once('exit', left);
      child.send({ id, order, ...more }, error => error && done(error));
    });
  }

  /** Unhandled errors in the log since the last call. */
  takeComplaints(): { instance: string; line: string }[] {
    if (this.service) this.listenTo(this.service);
    return this.complaints.splice(0);
  }

  private recordEnd(service: ServiceProcess, how: string): void {
    const { name, stopRequestedAt, killed } = this;
    this.listenTo(service);
    if (service.otherOutput.length > 0 && !killed)
      this.complaints.push({ instance: name, line: service.otherOutput.join(' ') });
    this.ended.push({ instance: name, stopRequestedAt, at: now(), how, killed });
    this.service = null;
  }

  private listenTo({ lines }: ServiceProcess): void {
    const begun = this.read;
    this.read = lines.length;
    for (const line of lines.slice(begun)) {
      if (GRIPES.test(JSON.stringify(line))) this.complaints.push({ instance: this.name, line: JSON.stringify(line) });
    }
  }

  private complained(): string {
    return this.complaints.map(({ line }) => line).join('\n');
  }
}

function answersAt(url: string): Promise<boolean> {
  return new Promise(resolve => {
    const outgoing = request(url, { agent: false, timeout: 2_000 }, response => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => resolve(false));
    outgoing.end();
  });
}
