/**
 * Settings of the configuration file that apply to all companies: engine, mail and warnings. Contains no
 * secrets.
 */
import { z } from "zod";
import { AGENT_LANGUAGES, AGENT_VOICES } from "../../../../domain/agent/agent.ts";
import { okReply, shown } from "../../../contracts/schema.ts";
import { contract, route } from "../../contract.ts";
import { eur } from "../../routes/present.ts";
import type { ProductContext } from "./context.ts";

const providers = (what: string) =>
  shown(z.array(z.string()).min(1), `Providers of ${what}, in the order they are tried.`, [
    "embedded",
  ]);

export const Appliance = z
  .strictObject({
    engine: z.strictObject({
      stt: providers("speech to text"),
      llm: providers("the language model"),
      tts: providers("text to speech"),
      takes_messages: shown(
        z.boolean(),
        "When all providers fail, the embedded engine takes a message.",
        true,
      ),
      trouble: shown(
        z.boolean(),
        "A provider cannot be used now, and calls go on with the next one.",
        false,
      ),
      failed_voices: shown(
        z.array(z.strictObject({ language: z.enum(AGENT_LANGUAGES), voice: z.enum(AGENT_VOICES) })),
        "Voices of the operator's whose files cannot be used; the built-in ones speak instead.",
        [],
      ),
    }),
    mail: z.strictObject({
      provider: shown(z.string(), "Who delivers mail; outbox: files on the server.", "smtp"),
      from: shown(z.string(), "Sender of post-call mails.", "Calls <calls@example.com>"),
      outbox_keep_days: shown(z.int(), "Days that the files of outbox are kept.", 7),
    }),
    warnings: z.strictObject({
      low_balance_eur: shown(
        z.array(z.number()),
        "Balances below which a company gets a mail.",
        [10, 2],
      ),
      new_numbers_per_hour: shown(
        z.int(),
        "Numbers never called before, within an hour; then such calls stop, with a mail.",
        500,
      ),
      new_countries_per_day: shown(
        z.int(),
        "Countries never called before, within a day; then such calls stop, with a mail.",
        3,
      ),
    }),
  })
  .meta({ id: "Appliance" });

export const getAppliance = contract({
  operationId: "getAppliance",
  at: "GET /appliance",
  tag: "Settings",
  summary: "What the server's configuration decides for every company",
  reply: okReply({ appliance: Appliance }),
});

export const applianceRoutes = ({ parts: { fixedSettings, statusSources } }: ProductContext) => [
  route(getAppliance)(async () => {
    const { engine, warnings, mailFrom } = fixedSettings();
    const { stt, llm, tts } = engine.providers;
    const { newNumbersPerHour, newCountriesPerDay } = warnings.burst;
    return {
      ok: true,
      appliance: {
        engine: {
          stt: [...stt],
          llm: [...llm],
          tts: [...tts],
          takes_messages: engine.takesMessages,
          trouble: statusSources.hasProviderTrouble(),
          failed_voices: [...statusSources.failedVoices()],
        },
        mail: {
          provider: statusSources.mailProvider,
          from: mailFrom,
          outbox_keep_days: statusSources.outboxKeepDays,
        },
        warnings: {
          low_balance_eur: warnings.lowBalances.map(eur),
          new_numbers_per_hour: newNumbersPerHour,
          new_countries_per_day: newCountriesPerDay,
        },
      },
    };
  }),
];
