import { describe, expect, test } from "bun:test";
import { AGENT_LANGUAGES } from "../../../src/features/agent/agent.ts";
import { attachmentName } from "../../../src/features/mail/message.ts";
import {
  type TranscriptMailFacts,
  transcriptMail,
} from "../../../src/features/mail/transcript-mail.ts";

const facts: TranscriptMailFacts = {
  recipient: "desk@clinic.example",
  agentName: "Reception",
  language: "en",
  timeZone: "Europe/Vilnius",
  call: {
    callUuid: "019aa3c1-7a10-7abc-8def-0123456789ab",
    direction: "inbound",
    fromNumber: "+37060000001",
    toNumber: "+37052000000",
    createdAt: Date.parse("2026-11-21T04:05:00Z"),
    answeredAt: Date.parse("2026-11-21T04:05:06Z"),
    endedAt: Date.parse("2026-11-21T04:08:13Z"),
    summary: "The caller asked for opening hours.",
  },
  turns: [
    { speaker: "agent", text: "Hello.", startMs: 0 },
    { speaker: "customer", text: " When are you open? ", startMs: 65_000 },
    { speaker: "agent", text: "  ", startMs: 70_000 },
  ],
  attachment: "x.mp3",
};

describe("the post-call mail", () => {
  test("contains the call's data, its summary and its transcript", () => {
    const mail = transcriptMail(facts);
    expect(mail).toMatchObject({
      key: "transcript:019aa3c1-7a10-7abc-8def-0123456789ab",
      recipient: "desk@clinic.example",
      subject: "Call from +37060000001, 2026-11-21 06:05",
      attachment: "x.mp3",
    });
    for (const line of [
      "Duration: 3:07",
      "Time: 2026-11-21 06:05 (Europe/Vilnius)",
      "The caller asked for opening hours.",
      "[0:00] Agent: Hello.",
      "[1:05] Customer: When are you open?",
    ])
      expect(mail.body).toContain(line);
    expect(mail.recordingWords?.attached).toContain("The recording is attached.");
    expect(mail.recordingWords?.linked).toContain("{url}");
    expect(mail.body).not.toContain("recording");
    expect(mail.body).not.toContain("[1:10]");
  });

  test("creates neither a link nor a line from an agent's or caller's name", () => {
    const name = "Anna\nat evil.example";
    const messages = [{ text: "Call me.", callerName: name, callback: null }];
    const { body } = transcriptMail({ ...facts, agentName: name, messages });
    expect(body).toContain("Agent: Anna at evil. example\n");
    expect(body).toContain("From: Anna at evil. example\n");
  });

  test.each([...AGENT_LANGUAGES])("has all its texts in %s", (language) => {
    const bare = { ...facts.call, summary: null, answeredAt: null, fromNumber: "" };
    const mail = transcriptMail({ ...facts, language, call: bare, turns: [], attachment: null });
    expect(mail.body).not.toContain("undefined");
    expect(mail.subject).not.toContain("undefined");
    if (language !== "en") expect(mail.body).not.toContain("Summary");
    // A link that `recording.ready` sent to an endpoint works until then.
    expect(transcriptMail({ ...facts, language }).recordingWords?.attached).toMatch(/\b15 /);
  });

  test("an outbound call shows the called number, in the agent's language", () => {
    const call = { ...facts.call, direction: "outbound" as const };
    expect(transcriptMail({ ...facts, call, language: "lt" }).subject).toBe(
      "Išeinantis skambutis: +37052000000, 2026-11-21 06:05",
    );
  });
});

test.each([
  [0, "0:00", "0:00"],
  [59_001, "1:00", "0:59"],
  [59_999, "1:00", "0:59"],
  [60_000, "1:00", "1:00"],
  [60_001, "1:01", "1:00"],
  [3_599_000, "59:59", "59:59"],
  [3_600_000, "1:00:00", "1:00:00"],
  [3_723_000, "1:02:03", "1:02:03"],
  [7_199_000, "1:59:59", "1:59:59"],
])(
  "a call of %d ms shows the duration %s (started seconds); a turn at its end shows %s",
  (ms, duration, began) => {
    const call = { ...facts.call, answeredAt: 1_000, endedAt: 1_000 + ms };
    const turns = [{ speaker: "agent", text: "Hello.", startMs: ms }] as const;
    const { body } = transcriptMail({ ...facts, call, turns });
    expect(body).toContain(`Duration: ${duration}\n`);
    expect(body).toContain(`[${began}] Agent: Hello.`);
  },
);

describe("the attachment's name", () => {
  test("has the same time as the mail's subject, in the company's zone", () => {
    const { callUuid, subject, recordingWords = null } = transcriptMail(facts);
    expect(subject).toEndWith(", 2026-11-21 06:05");
    expect(attachmentName({ callUuid, createdAt: 0, recordingWords }, "a.mp3")).toBe(
      `call-2026-11-21-0605-${callUuid?.slice(-8)}.mp3`,
    );
  });

  test("uses the time in the call's UUID v7 if an older version queued the mail", () => {
    const stamp = Date.parse("2026-11-21T04:05:06Z").toString(16).padStart(12, "0");
    const callUuid = `${stamp.slice(0, 8)}-${stamp.slice(8)}-7abc-8def-0123456789ab`;
    expect(attachmentName({ callUuid, createdAt: 0, recordingWords: null }, "a.mp3")).toBe(
      "call-2026-11-21-0405-456789ab.mp3",
    );
    expect(attachmentName({ callUuid: null, createdAt: 0, recordingWords: null }, "a.mp3")).toBe(
      "call-1970-01-01-0000-recording.mp3",
    );
  });
});
