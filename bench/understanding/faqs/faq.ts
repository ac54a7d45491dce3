/** A business's questions and answers, and what callers say to it: for measuring understanding. */

export interface Faq {
  readonly name: string;
  /** Markdown as a tenant would write it. */
  readonly knowledge: string;
  /** By the heading that answers: the same asked in other words. */
  readonly paraphrased: Readonly<Record<string, readonly string[]>>;
  readonly offTopic: readonly string[];
}

export type Kind = "as written" | "paraphrased" | "off topic";

export interface Question {
  readonly kind: Kind;
  readonly said: string;
  /** The heading that answers. Null: none does. */
  readonly entry: string | null;
}

/** In an order that a prefix of it holds all three kinds in their proportion. */
export function questionsOf({ knowledge, paraphrased, offTopic }: Faq): Question[] {
  const headings = [...knowledge.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading);
  const written = headings.map((said): Question => ({ kind: "as written", said, entry: said }));
  const other = Object.entries(paraphrased).flatMap(([entry, ways]) =>
    ways.map((said): Question => ({ kind: "paraphrased", said, entry })),
  );
  const strange = offTopic.map((said): Question => ({ kind: "off topic", said, entry: null }));
  const lists = [written, other, strange];
  const position = (list: readonly Question[], index: number) => (index + 0.5) / list.length;
  return lists
    .flatMap((list) => list.map((question, index) => ({ question, at: position(list, index) })))
    .sort((one, another) => one.at - another.at)
    .map(({ question }) => question);
}
