/**
 * Fixed limits of a conversation, in milliseconds unless stated otherwise. Operators configure
 * `ConversationSettings`. These limits concern safety and how audio is split.
 */

/** Length of one audio frame in both directions. */
export const FRAME_MS = 20;
/** A longer gap between two frames means that the whole process was suspended. */
export const STOPPED_MS = 1_000;
/** Length of the audio before the speech onset, which the STT stream gets as `lead`. */
export const LEAD_MS = 500;

/** Shorter speech is a click or a cough. */
export const SPEECH_MS_MIN = 120;
/**
 * Silence, as reported by the VAD, after which work on an answer begins. The VAD reports the end of speech
 * about 60 ms late, so the real silence is 120 ms.
 */
export const EARLY_SILENCE_MS = 60;
/** Speech of this length takes the turn back while the agent is preparing an answer. */
export const CONTINUATION_MS = 240;
/** An utterance ends after this time, even if the caller keeps talking. */
export const UTTERANCE_MS_MAX = 30_000;
/** A caller who talks over the agent's last words is answered if at most this much was left to say. */
export const NEARLY_DONE_MS = 1_500;

/** Maximum answers with tool calls per utterance. The next answer gets no tools. */
export const TOOL_ROUNDS_MAX = 3;

/** Pause between keys that ends a number. */
export const DIGIT_PAUSE_MS = 2_000;

export const GREETING_WAIT_MS = 1_500;
/** Delay between the first words and the synthesis of standby phrases, so that other calls can be set up first. */
export const STANDBY_AFTER_MS = 1_000;
/** Longer than an engine's timeout (16 s), so that a second STT stream still has time. */
export const STT_TIMEOUT_MS = 22_000;
/** Timeout for the last utterance when the caller hangs up. */
export const LAST_TEXT_TIMEOUT_MS = 1_000;
export const LLM_TIMEOUT_MS = 15_000;
/** Longer than the timeouts of two providers (5 s each) plus the embedded voice (6 s). */
export const TTS_TIMEOUT_MS = 17_000;
export const SUMMARY_TIMEOUT_MS = 4_000;
/** Maximum length of the last words or a voicemail message. */
export const CLOSING_MS_MAX = 60_000;
/** Maximum length of the sentence before a transfer. */
export const LAST_SENTENCE_MS_MAX = 10_000;
/** Maximum length of the announcement to a person before the caller is connected. */
export const ANNOUNCEMENT_MS_MAX = 30_000;
/** Pause after the last word, so that it crosses the network before the call ends. */
export const CLOSING_TAIL_MS = 300;
export const HEARTBEAT_MS = 1_000;

/** Maximum lead of synthesis over playout. */
export const PLAYOUT_AHEAD_MS_MAX = 20_000;
