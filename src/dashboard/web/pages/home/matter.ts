/** What the server says is the matter, in the reader's language: by its code, else in its words. */
import type { Texts } from "../../i18n/text.tsx";

interface Matter {
  readonly code: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly sentence: string;
  readonly mend: string | null;
}

/** A newer server may know codes that have no text yet: then its own words are shown. */
export function inWords({ code, values, sentence, mend }: Matter, { knows, t }: Texts) {
  const said = (key: string, otherwise: string | null) => (knows(key) ? t(key, values) : otherwise);
  return { sentence: said(`lamp.${code}`, sentence), mend: said(`mend.${code}`, mend) };
}
