/**
 * Texts that speech recognition writes for noise: notes in brackets, punctuation without words, and
 * outros of the training videos. Does not change a caller's words.
 */
import { levelOf } from "../platform/audio/level.ts";

interface HeardSound {
  /** Length of the recognised audio, silence included. */
  readonly audioMs: number;
  /** If missing, only the length is known. */
  readonly pcm?: Int16Array;
  readonly sampleRateHz?: number;
  /** Recogniser's probability of no speech, 0 to 1; missing or null if it gives none. */
  readonly noSpeech?: number | null;
}

const NOTES =
  /\[[^\]]*\]|\([^)]*\)|\{[^}]*\}|<[^>]*>|（[^）]*）|【[^】]*】|\*[^*]*\*|[♪♫♬#][^♪♫♬#]*[♪♫♬#]/gu;
const BARE_NOTES = /^(?:blank_audio|inaudible|no_?speech|no audio|silence|background noise)$/iu;
const WORD = /[\p{L}\p{N}]/u;

/** Whole texts, in lower case and without punctuation. */
const OUTROS =
  /^(?:(?:(?:thank you|thanks)(?: so much| very much)? for (?:watching|listening|viewing)(?: (?:this|the|my) video)?|please (?:like and )?subscribe(?: to (?:my|our|the) channel)?|(?:don't forget to )?like and subscribe|see you (?:in the )?next (?:video|time)|subtitles (?:by|created by)(?: \S+){1,6}|transcri(?:ption|bed) by(?: \S+){1,4}|ačiū(?: jums)? kad (?:žiūrėjote|žiūrite)|dėkoju? kad (?:žiūrėjote|žiūrite)|ačiū už (?:žiūrėjimą|dėmesį)|subtitrus (?:parengė|sukūrė)(?: \S+){1,4}|paldies(?: jums)? (?:ka|par) (?:skatījāties|skatīšanos|noskatīšanos|uzmanību)|subtitrus (?:sagatavoja|veidoja)(?: \S+){1,4}|спасибо (?:вам )?за (?:просмотр|внимание)|спасибо что (?:смотрели|посмотрели)|продолжение следует|подписывайтесь на (?:мой |наш |этот )?канал|субтитры (?:сделал|создавал|делал|подготовил)\S*(?: \S+){1,3}|редактор субтитров(?: \S+){1,8}) ?)+$/u;

const SHORT_MS = 2_000;
/** RMS of the loudest frame. Below it, there is only line noise. */
const FAINT_LEVEL = 400;
const FRAME_MS = 20;
const NO_SPEECH_MIN = 0.6;

/** The words in a recogniser's text; empty if it contains only noise. */
export function wordsHeard(text: string, sound?: HeardSound): string {
  const trimmed = text.trim();
  const words = trimmed.replace(NOTES, " ").trim();
  if (!WORD.test(words) || BARE_NOTES.test(trimmed)) return "";
  const plain = trimmed
    .toLocaleLowerCase()
    .replace(/[^\p{L}\p{N}'\s]+/gu, "")
    .replace(/\s+/gu, " ");
  return sound && OUTROS.test(plain) && isDoubtful(sound) ? "" : trimmed;
}

function isDoubtful({ audioMs, pcm, sampleRateHz = 8_000, noSpeech }: HeardSound): boolean {
  if (audioMs <= SHORT_MS || (noSpeech ?? 0) >= NO_SPEECH_MIN) return true;
  if (!pcm) return false;
  const samples = (sampleRateHz * FRAME_MS) / 1_000;
  for (let at = 0; at < pcm.length; at += samples)
    if (levelOf(pcm.subarray(at, at + samples)) >= FAINT_LEVEL) return false;
  return true;
}

/** `no_speech_prob` of a verbose answer: the minimum of its segments; null if missing. */
export function noSpeechOf(answer: { readonly [key: string]: unknown }): number | null {
  const parts = Array.isArray(answer.segments) ? answer.segments.slice(0, 100) : [answer];
  const known = parts.flatMap((part: unknown) => {
    const value = (part as { no_speech_prob?: unknown } | null)?.no_speech_prob;
    return typeof value === "number" ? [value] : [];
  });
  return known.length === 0 ? null : Math.min(...known);
}
