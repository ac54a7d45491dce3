/**
 * The conversation's fixed bounds, in milliseconds if not said otherwise. What an operator may tune is in
 * `ConversationSettings`; these are about safety and about how audio is cut.
 */

/** One audio frame, in and out. */
export const FRAME_MS = 20;
/** Without a frame for longer than this, the whole process was stopped. */
export const STOPPED_MS = 1_000;
/** Audio kept from before speech was noticed: what the STT stream gets as `lead`. */
export const LEAD_MS = 500;

/** Speech shorter than this is a click or a cough. */
export const SPEECH_MS_MIN = 120;
/**
 * Silence, as the VAD has it, in which the caller may have finished: work on an answer begins. The VAD's
 * end of speech is about 60 ms behind the last sound, so this is 120 ms of real silence.
 */
export const EARLY_SILENCE_MS = 60;
/** Speech that takes the word back while the agent still thinks about what was said before. */
export const CONTINUATION_MS = 240;
/** An utterance is ended here even when the caller goes on. */
export const UTTERANCE_MS_MAX = 30_000;
/** A caller who answers over the agent's last words is heard when no more than this was left. */
export const NEARLY_DONE_MS = 1_500;

/** Answers with tool calls that one utterance may lead to; the next answer comes without tools. */
export const TOOL_ROUNDS_MAX = 3;

/** Pause between keys that ends a number. */
export const DIGIT_PAUSE_MS = 2_000;

export const GREETING_WAIT_MS = 1_500;
/** From the first words to what is kept ready: until then, others' calls may be set up. */
export const STANDBY_AFTER_MS = 1_000;
/** An engine's own time-out (10 s) comes first, and another STT stream must still have its turn. */
export const STT_TIMEOUT_MS = 22_000;
/** For what the caller was saying when the line went. */
export const LAST_TEXT_TIMEOUT_MS = 1_000;
export const LLM_TIMEOUT_MS = 15_000;
/** Two providers' own time-outs (5 s each) and the embedded voice's (6 s) come first. */
export const TTS_TIMEOUT_MS = 17_000;
export const SUMMARY_TIMEOUT_MS = 4_000;
/** The last words, or the message on a voicemail, are cut off here, should they never end. */
export const CLOSING_MS_MAX = 60_000;
/** A sentence that a transfer waits for is cut here. */
export const LAST_SENTENCE_MS_MAX = 10_000;
/** What a person hears about the caller before both are joined. */
export const ANNOUNCEMENT_MS_MAX = 30_000;
/** After the last word: lets it cross the network before the line goes. */
export const CLOSING_TAIL_MS = 300;
export const HEARTBEAT_MS = 1_000;

/** Synthesis runs ahead of playout by no more than this. */
export const PLAYOUT_AHEAD_MS_MAX = 20_000;
