/**
 * Abbreviations whose full stop does not end a sentence, in the four languages: a pattern without
 * the full stop.
 */
export const ABBREVIATIONS =
  "\\p{L}|Nr|nr|No|val|min|sek|mėn|sav|pvz|tel|Tel|str|kab|Dr|dr|Mr|Mrs|Ms|St|prof|pr|al|el|approx|ext|plkst|tālr|Tālr|mēn|ned|st|ул|кв|стр|тел|Тел|им|пр|руб|мин|сек|мес|коп";
