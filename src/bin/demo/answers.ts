import type { Dialogue } from './dialogue.js';

/** A question of a contact, with what the agent answered. */
interface Exchange {
  words: ReadonlySet<string>;
  answers: readonly string[];
  /** The exchange that followed in the same dialogue. */
  next?: Exchange;
}

/** Answers to what no dialogue is about, in this order. */
const FALLBACKS = [
  'Hello! I am happy to help. What is it about: a parcel, a size, a voucher, a refund?',
  'I am not sure that I understand. Could you tell me a little more?',
  'Thank you. I will ask a colleague and write to you here.',
];

/** Another subject must be so much more similar before the agent leaves the present one. */
const MARGIN = 0.2;

/** Words of any subject. */
const COMMON = new Set(
  'hello hey and the you your for was are not but has have had can could would does did what where when how who why this that they them there with from please thank thanks'.split(
    ' ',
  ),
);

/** Finds an answer in the dialogues' words: that to the most similar first question, then what followed there. */
export class Answers {
  private readonly exchanges: readonly Exchange[];
  private readonly openings: readonly Exchange[];
  /** How many questions contain a word; rare words count more. */
  private readonly counts = new Map<string, number>();

  constructor(dialogues: readonly Dialogue[]) {
    const all = dialogues.map(exchangesOf);
    this.exchanges = all.flat();
    this.openings = all.flatMap(([first]) => first ?? []);
    for (const { words } of this.exchanges) {
      for (const word of words) this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
    }
  }

  /**
   * @param given what the agent has written in the conversation already, in order, which is not repeated
   * @returns the messages of the answer; none if nothing is left to write
   */
  find(question: string, given: ReadonlySet<string>): readonly string[] {
    const asked = wordsOf(question);
    const isNew = ({ answers }: Exchange): boolean => !answers.some(text => given.has(text));
    const similarity = ({ words }: Exchange): number => this.similarityOf(asked, words);
    const opening = this.openings
      .filter(one => isNew(one) && similarity(one) > 0)
      .reduce<Exchange | undefined>(
        (best, one) => (best && similarity(best) >= similarity(one) ? best : one),
        undefined,
      );
    const last = [...given].at(-1);
    const next = this.exchanges.find(({ answers }) => last !== undefined && answers.includes(last))?.next;
    const continues = next && isNew(next) && (!opening || similarity(opening) <= similarity(next) + MARGIN);
    if (continues) return next.answers;
    if (opening) return opening.answers;
    return FALLBACKS.filter(text => !given.has(text)).slice(0, 1);
  }

  private similarityOf(asked: ReadonlySet<string>, words: ReadonlySet<string>): number {
    const weigh = (all: Iterable<string>): number => {
      let sum = 0;
      for (const word of all) sum += 1 / (this.counts.get(word) ?? 1);
      return sum;
    };
    return weigh([...asked].filter(word => words.has(word))) / Math.sqrt(1 + weigh(words));
  }
}

/** Consecutive messages of one side are one question or one answer. The first question also has the dialogue's subject. */
function exchangesOf({ id, topics, turns }: Dialogue): Exchange[] {
  const all: { question: string; answers: string[] }[] = [];
  let last = '';
  for (const [speaker, text] of turns) {
    if (speaker === 'agent') all.at(-1)?.answers.push(text);
    else if (last === 'contact') all.at(-1)!.question += ` ${text}`;
    else all.push({ question: [...(all.length === 0 ? [id, ...topics] : []), text].join(' '), answers: [] });
    last = speaker;
  }
  const exchanges: Exchange[] = all
    .filter(({ answers }) => answers.length > 0)
    .map(({ question, answers }) => ({ words: wordsOf(question), answers }));
  for (const [index, exchange] of exchanges.entries()) {
    const next = exchanges[index + 1];
    if (next) exchange.next = next;
  }
  return exchanges;
}

function wordsOf(text: string): Set<string> {
  const words: string[] = text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
  return new Set(words.filter(word => !COMMON.has(word)));
}
