/** "Don't call me": the words people say, in the four languages. Errs towards hearing it. */
const PHRASES: readonly RegExp[] = [
  /\b(don'?t|do not|never|stop) (ever )?(call|calling|phone|phoning|ring|ringing)( me| us| here)?\b/i,
  /\b(take|remove) (me|us|my number|our number) (off|from)\b/i,
  /\bno more calls\b/i,
  /\b(daugiau )?(man |mums )?ne(be)?skambin(kite|kit|ti|k)\b/iu,
  /\b(vairāk )?(man )?nezvani(et|t)?\b/iu,
  /(не звони|не звоните|больше не (надо )?звонит[ье]|не беспокой)/iu,
];

export const refusesCalls = (text: string): boolean => PHRASES.some((phrase) => phrase.test(text));
