/** What is kept with a call beside its turns, and where an answer's time went. */
import { z } from "zod";
import { shown } from "../../contracts/schema.ts";

const step = (what: string) => shown(z.int().nullable(), what, 400);

export const turnMeasures = shown(
  z
    .strictObject({
      endpoint_ms: step("The silence was judged long enough."),
      stt_final_ms: step("The final text was there."),
      first_token_ms: step("The LLM's first words."),
      first_audio_ms: step("The voice's first samples."),
      first_packet_ms: step("The first packet left."),
      early: shown(z.boolean(), "The LLM was asked on stable words, ahead of time.", false),
    })
    .nullable(),
  "Where an answer's latency went: ms from the customer's last speech to each step; null: not measured.",
  {
    endpoint_ms: 350,
    stt_final_ms: 420,
    first_token_ms: 430,
    first_audio_ms: 520,
    first_packet_ms: 540,
    early: false,
  },
);

const at = shown(z.int(), "From the answer, ms.", 120);

export const Disclosure = z
  .strictObject({
    text: shown(z.string(), "The words that were said.", "This call is recorded."),
    language: shown(z.string(), "Their language.", "en"),
    start_ms: at,
    end_ms: at,
    heard: shown(z.boolean(), "Said to its end; false: the line went before.", true),
  })
  .meta({ id: "Disclosure" });

export const Message = z
  .strictObject({
    text: shown(z.string(), "What the caller wants to have passed on.", "Please call me back."),
    caller_name: shown(z.string().nullable(), "As the caller said it.", "Jonas"),
    callback: shown(z.string().nullable(), "Number or time to call back.", null),
    at_ms: at,
  })
  .meta({ id: "Message" });

export const TransferNote = z
  .strictObject({
    to: shown(z.string(), "Where to.", "+37060000003"),
    method: shown(
      z.enum(["refer", "bridge"]),
      "`refer`: the carrier took the call over; `bridge`: a second leg was dialled.",
      "bridge",
    ),
    outcome: shown(
      z.enum(["transferred", "busy", "no_answer", "declined", "failed"]),
      "How it went; all but the first brought the caller back to the agent.",
      "transferred",
    ),
    sip_code: shown(z.int().nullable(), "Final code of the far end, where it gave one.", null),
    at_ms: at,
  })
  .meta({ id: "TransferNote" });

export const Answering = z
  .strictObject({
    result: shown(z.enum(["human", "machine", "unknown"]), "Who answered.", "human"),
    cause: shown(z.string(), "What told it.", "short_greeting"),
    at_ms: at,
  })
  .meta({ id: "Answering" });
