/** Excluded places: the changed program behaves the same, so no test could notice. */
import type { Site } from "./sites.ts";

interface Equivalent {
  /** End of the file's path. */
  readonly file: string;
  /** The line without leading and trailing spaces. */
  readonly lineText: string;
  /** Excludes only this part of the line; default: the whole line. */
  readonly part?: string;
  readonly reason: string;
}

const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: "call/ended/orphaned-recording.ts",
    lineText: "await rm(path, { force: true });",
    reason: "the file was repaired just before: only another process could have deleted it since",
  },
  {
    file: "net/outbound-http.ts",
    lineText: "systemLookup(hostname, { all: true, verbatim: true }, (error, addresses) =>",
    part: "verbatim: true",
    reason: "in which order a name's addresses are tried: each is judged",
  },
  {
    file: "billing/hold.ts",
    lineText: "const FOR_EVER_SECONDS = 1_000_000_000;",
    reason: "it only has to be longer than any call",
  },
  {
    file: "conversation/speech/echo.ts",
    lineText: "const RECEIVED_FRAMES = 64;",
    reason: "the ring only has to be longer than the window of 20 frames that is compared",
  },
  {
    file: "conversation/speech/echo.ts",
    lineText: "const received = this.#received[slot] ?? 0;",
    part: "?? 0",
    reason: "the place of a frame in the ring is below the ring's length",
  },
  {
    file: "schedule/scheduler.ts",
    lineText:
      "if (left.length > 0) await database.tx((queries) => records(queries).release(owner, left));",
    part: ">",
    reason: "giving back nothing changes nothing",
  },
  {
    file: "knowledge/content.ts",
    lineText: "return lone.exec(content)?.index ?? 0;",
    reason: "a text that is not well-formed has a lone surrogate: the pattern finds it",
  },
  {
    file: "conversation/speech/agent-speech.ts",
    lineText: "(sum, piece) => sum + (piece.endMs - (piece.startMs ?? 0)) * shareOf(piece),",
    part: "?? 0",
    reason: "only pieces that have begun are summed",
  },
  {
    file: "features/mail/providers/smtp.ts",
    lineText: "TOO_LARGE_CODES.has(responseCode ?? 0) ||",
    part: "?? 0",
    reason: "no reply code below 200 means that a mail is too large",
  },
  {
    file: "contact/csv-file.ts",
    lineText: "const PIECE_BYTES = 16_384;",
    reason: "how much the parser gets at a time changes nothing of what it reads",
  },
  {
    file: "mail/mail-queue.ts",
    lineText: "const CATCH_UP_MAX = 1000;",
    reason: "how much one query reads: the rest is read right after it",
  },
  {
    file: "retention/retention.ts",
    lineText: "await rm(path, { force: true });",
    reason: "the file was looked at just before: only another process could have deleted it since",
  },
  {
    file: "call/ended/orphaned-recording.ts",
    lineText: "if (HALF_FILE.test(name)) await rm(join(recordingsDir, name), { force: true });",
    part: "true",
    reason: "the folder was read just before: only another process could have deleted it since",
  },
  {
    file: "call/web/chat.ts",
    lineText: "const left = (this.#running.get(tenantId) ?? 1) - 1;",
    part: "?? 1",
    reason: "the question itself was counted before, so that a count is always there",
  },
  {
    file: "features/mail/providers/resend.ts",
    lineText: "const status = error.statusCode ?? 0;",
    reason: "no status below 400 is told from another",
  },
  {
    file: "answering-machine-detection/beep-detector.ts",
    lineText: "if (this.#share(pcm, this.#frequencyHz) >= SHARE_MIN) return this.#frequencyHz;",
    reason: "a share of a frame's energy is never exactly the limit",
  },
  {
    file: "answering-machine-detection/beep-detector.ts",
    lineText: "if (share > bestShare) {",
    part: ">",
    reason: "two frequencies never hold exactly the same share",
  },
  {
    file: "call/ended/after-call.ts",
    lineText:
      "await rm(join(context.settings.recordingsDir, call.recordingFile), { force: true });",
    reason: "the file was just read to make the MP3: only another process could have deleted it",
  },
  {
    file: "conversation/speech/echo.ts",
    lineText: "const played = this.#playedAt((this.#receivedAt[slot] ?? 0) - delay);",
    part: "?? 0",
    reason: "the place of a frame in the ring is below the ring's length",
  },
  {
    file: "conversation/speech/echo.ts",
    lineText: "const after = this.#played[Math.ceil(place) % PLAYED_FRAMES] ?? 0;",
    part: "?? 0",
    reason: "the place of a frame in the ring is below the ring's length",
  },
  {
    file: "conversation/speech/echo.ts",
    lineText: "const before = this.#played[Math.floor(place) % PLAYED_FRAMES] ?? 0;",
    part: "?? 0",
    reason: "the place of a frame in the ring is below the ring's length",
  },
  {
    file: "identity/lock-out.ts",
    lineText: "if (found && found.lastAt > nowMs) await attempts.put(subject.key, state);",
    part: ">",
    reason: "a row whose time is now is written back as it is",
  },
  {
    file: "call/ended/after-call.ts",
    lineText: "durationMs: call.recordingMs ?? 0,",
    part: "?? 0",
    reason: "a recording that could be encoded has its length",
  },
  {
    file: "conversation/speech/echo.ts",
    lineText: "const PLAYED_FRAMES = (2 * PLAYOUT_AHEAD_MS_MAX) / FRAME_MS;",
    part: "2",
    reason: "a longer ring forgets later what nobody asks for",
  },
  {
    file: "contact/csv-file.ts",
    lineText:
      "for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);",
    part: "<",
    reason: "a last piece without bytes adds nothing",
  },
  {
    file: "mail/message.ts",
    lineText: '? Number.parseInt(mail.callUuid?.replace("-", "").slice(0, 12) ?? "", 16)',
    part: "12",
    reason: "the thirteenth character is a hyphen, before which the number ends",
  },
  {
    file: "contact/calling-hours.ts",
    lineText: "const DAYS_AHEAD_MAX = 31;",
    reason: "no month is without a day on which calls are allowed",
  },
  {
    file: "contact/calling-hours.ts",
    lineText: "for (let ahead = 0; ahead <= DAYS_AHEAD_MAX; ahead++) {",
    part: "<=",
    reason: "no month is without a day on which calls are allowed",
  },
  {
    file: "contact/calling-hours.ts",
    lineText: "const month = Math.floor((h + l - 7 * m + 114) / 31);",
    part: "7",
    reason: "m is 0 or 1, and where it is 1 the sum stays within its month: no year has another",
  },
  {
    file: "rehearsal/text-call.ts",
    lineText: "? { ok: true, httpStatus: 200, output: given.answer ?? null }",
    part: "200",
    reason: "no rehearsal tells a tool's HTTP status",
  },
  {
    file: "rehearsal/text-call.ts",
    lineText: ": { ok: false, httpStatus: 500, output: { error: given.fails } };",
    part: "500",
    reason: "no rehearsal tells a tool's HTTP status",
  },
  {
    file: "tenant/api-keys.ts",
    lineText: "const CACHE_KEYS_MAX = 5_000;",
    reason: "a key that was forgotten is read from the store again",
  },
  {
    file: "knowledge/stems.ts",
    lineText: "const REMEMBERED_MAX = 50_000;",
    reason: "what is remembered or made again is the same stem",
  },
  {
    file: "knowledge/stems.ts",
    lineText: "if (remembered.size >= REMEMBERED_MAX) remembered.clear();",
    reason: "what is remembered or made again is the same stem",
  },
  {
    file: "agent/version-comparison.ts",
    lineText: "const DIFF_MS_MAX = 500;",
    reason: "a millisecond more of real time is within what a test's machine varies",
  },
  {
    file: "campaign/campaigns.ts",
    lineText: "const TARGETS_AT_ONCE = 500;",
    reason: "how many rows one transaction stores: the rest is stored right after it",
  },
  {
    file: "contact/pin-check.ts",
    lineText: "const known = await contacts(database.read).byNumber(tenantId, number, 2);",
    part: "2",
    reason: "two are enough to know that it is not one",
  },
  {
    file: "webhook/delivery.ts",
    lineText: "while (this.#capacity.free > 0) {",
    part: ">",
    reason: "where there is no room nothing is taken, which ends the loop",
  },
  {
    file: "call/state.ts",
    lineText: "confirmed = false,",
    part: "false",
    reason: "without an answer the time since it is 0, confirmed or not",
  },
  {
    file: "call/inbound/inbound.ts",
    lineText: "const known = { ...identity, callerLevel: config?.callerLevel ?? 0, trustedTrunk };",
    reason:
      "a call whose configuration could not be read ends at once, before anybody asks who calls",
  },
  {
    file: "mail/send-attempt.ts",
    lineText:
      "return statSync(join(directory, basename(file)), { throwIfNoEntry: false })?.size ?? 0;",
    part: "?? 0",
    reason: "no mail's limit is so low that some bytes more would pass it",
  },
  {
    file: "privacy/erase-person.ts",
    lineText:
      "for (const path of [...files.recordings, ...files.mails]) await rm(path, { force: true });",
    part: "true",
    reason: "only files that are there are listed",
  },
  {
    file: "conversation/speech/echo.ts",
    lineText:
      "return covariance / Math.sqrt(varianceReceived * variancePlayed) >= CORRELATION_MIN;",
    part: ">",
    reason: "a correlation is never exactly the limit",
  },
  {
    file: "tool/tool-rules.ts",
    lineText: "const PROBLEMS_MAX = 1_000;",
    reason: "a schema that was forgotten is judged again",
  },
  {
    file: "conversation/speech/echo.ts",
    lineText: "if (varianceReceived <= 0 || variancePlayed <= 0) return false;",
    part: "<= ",
    reason:
      "levels that never vary have no covariance either: nothing divided by nothing is below any limit",
  },
  {
    file: "conversation/speech/echo.ts",
    lineText: "if (varianceReceived <= 0 || variancePlayed <= 0) return false;",
    part: "variancePlayed <=",
    reason:
      "levels that never vary have no covariance either: nothing divided by nothing is below any limit",
  },
  {
    file: "billing/low-balance.ts",
    lineText: "if (now.level >= now.toldBelow) return; // it rose",
    part: ">=",
    reason: "only levels that differ from the last notice are read",
  },
  {
    file: "rehearsal/values.ts",
    lineText: "for (let index = 0; index < tokens.length; ) {",
    part: "<",
    reason: "behind the last word is no number",
  },
  {
    file: "rehearsal/values.ts",
    lineText: "for (let index = from; index < tokens.length; index++) {",
    part: "<",
    reason: "behind the last word is no number",
  },
  {
    file: "features/mail/providers/smtp.ts",
    lineText: "const SOCKET_TIMEOUT_MS = 2 * ANSWER_MS_MAX;",
    part: "2",
    reason: "it only has to be longer than an attempt, which the caller ends before",
  },
  {
    file: "rehearsal/text-call.ts",
    lineText: 'remote: { host: "127.0.0.1", port: 9 },',
    reason: "a rehearsal in text sends no packet",
  },
  {
    file: "rehearsal/text-call.ts",
    lineText: 'codec: { name: "PCMA", sendPayloadType: 8, receivePayloadType: 8 },',
    reason: "a rehearsal in text sends no packet",
  },
  {
    file: "rehearsal/rehearse-text.ts",
    lineText: "sampleRateHz: 8000,",
    reason: "of this session only the LLM is used",
  },
  {
    file: "rehearsal/language-model.ts",
    lineText: "sampleRateHz: 8000,",
    reason: "of this session only the LLM is used",
  },
];

const used = new Set<Equivalent>();

function isWithin(part: string, { lineText, offset }: Pick<Site, "lineText" | "offset">): boolean {
  const first = lineText.indexOf(part);
  return first >= 0 && first <= offset && offset < first + part.length;
}

export function isEquivalent(site: Omit<Site, "kind" | "start" | "end">): boolean {
  const entry = EQUIVALENTS.find(
    ({ file, lineText, part }) =>
      site.file.endsWith(`/${file}`) &&
      site.lineText === lineText &&
      (part === undefined || isWithin(part, site)),
  );
  if (entry) used.add(entry);
  return entry !== undefined;
}

/** After all files were checked: entries whose line no longer exists. */
export const staleEquivalents = (): string[] =>
  EQUIVALENTS.filter((entry) => !used.has(entry)).map(
    ({ file, lineText }) => `${file}: ${lineText}`,
  );
