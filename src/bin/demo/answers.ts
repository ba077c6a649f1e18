import type { Dialogue } from './dialogue.js';

/** A question of a contact, with what the agent answered. */
interface Answered {
  words: ReadonlySet<string>;
  answers: readonly string[];
}

/** Finds an answer in the dialogues' words: that to the most similar question of a contact. */
export class Answers {
  private readonly answered: readonly Answered[];
  private readonly greetings: readonly string[];
  /** How many questions contain a word; rare words count more. */
  private readonly counts = new Map<string, number>();

  constructor(dialogues: readonly Dialogue[]) {
    this.answered = dialogues.flatMap(answeredOf);
    this.greetings = dialogues.flatMap(({ turns }) => turns.find(([speaker]) => speaker === 'agent')?.[1] ?? []);
    for (const { words } of this.answered) {
      for (const word of words) this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
    }
  }

  /**
   * @param given what the agent has written in the conversation already, which is not repeated
   * @returns the messages of the answer; none if everything was written
   */
  find(question: string, given: ReadonlySet<string>): readonly string[] {
    const asked = wordsOf(question);
    let best: { similarity: number; answers: readonly string[] } = { similarity: 0, answers: [] };
    for (const { words, answers } of this.answered) {
      const similarity = this.similarityOf(asked, words);
      if (similarity > best.similarity && !answers.some(text => given.has(text))) best = { similarity, answers };
    }
    if (best.answers.length > 0) return best.answers;
    const greeting = this.greetings.find(text => !given.has(text));
    return greeting === undefined ? [] : [greeting];
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

/** Consecutive messages of one side are one question or one answer. */
function answeredOf({ turns }: Dialogue): Answered[] {
  const all: { question: string; answers: string[] }[] = [];
  let last = '';
  for (const [speaker, text] of turns) {
    if (speaker === 'agent') all.at(-1)?.answers.push(text);
    else if (last === 'contact') all.at(-1)!.question += ` ${text}`;
    else all.push({ question: text, answers: [] });
    last = speaker;
  }
  return all
    .filter(({ answers }) => answers.length > 0)
    .map(({ question, answers }) => ({ words: wordsOf(question), answers }));
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/\p{L}{3,}/gu));
}
