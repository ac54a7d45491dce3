/** A business's questions and answers, and callers' questions to it, to measure understanding. */

export interface Faq {
  readonly name: string;
  /** Markdown as a tenant would write it. */
  readonly knowledge: string;
  /** Paraphrased questions by the heading that answers them. */
  readonly paraphrased: Readonly<Record<string, readonly string[]>>;
  readonly offTopic: readonly string[];
}

export type Kind = "as written" | "paraphrased" | "off topic";

export interface Question {
  readonly kind: Kind;
  readonly said: string;
  /** Heading that answers the question; null if none does. */
  readonly entry: string | null;
}

/** Ordered so that any prefix has all three kinds in proportion. */
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
