/**
 * Settings of the configuration file that apply to all companies: engine, mail and warnings. Contains no
 * secrets.
 */
import { z } from "zod";
import { contract, route } from "../../http/contract.ts";
import { okReply, shown } from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import { eur } from "../../http/route-present.ts";
import { AGENT_LANGUAGES, AGENT_VOICES } from "../agent/agent.ts";

const providers = (what: string) =>
  shown(z.array(z.string()).min(1), `Providers of ${what}, in the order in which they are tried.`, [
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
        "Whether the embedded engine takes a message when all providers fail.",
        true,
      ),
      trouble: shown(
        z.boolean(),
        "Whether a provider cannot be used now. Calls continue with the next one.",
        false,
      ),
      failed_voices: shown(
        z.array(z.strictObject({ language: z.enum(AGENT_LANGUAGES), voice: z.enum(AGENT_VOICES) })),
        "Voices added by the operator whose files cannot be used. The built-in voices are used instead.",
        [],
      ),
    }),
    mail: z.strictObject({
      provider: shown(
        z.string(),
        "Mail provider. `outbox`: mails are files on the server.",
        "smtp",
      ),
      from: shown(z.string(), "Sender of mails after calls.", "Calls <calls@example.com>"),
      outbox_keep_days: shown(z.int(), "Number of days that the outbox keeps mails.", 7),
    }),
    payments_ready: shown(
      z.boolean(),
      "Whether companies can pay: with Stripe, or with the bank details of `[payments.manual]`.",
      true,
    ),
    warnings: z.strictObject({
      low_balance_eur: shown(
        z.array(z.number()),
        "Wallet balances at which a company gets an email.",
        [10, 2],
      ),
      new_numbers_per_hour: shown(
        z.int(),
        "Maximum of newly called numbers per hour. Above it, calls to new numbers are rejected and the company gets an email.",
        500,
      ),
      new_countries_per_day: shown(
        z.int(),
        "Maximum of newly called countries per day. Above it, calls to new countries are rejected and the company gets an email.",
        3,
      ),
    }),
  })
  .meta({ id: "Appliance" });

export const getAppliance = contract({
  operationId: "getAppliance",
  at: "GET /appliance",
  tag: "Settings",
  summary: "Settings of the server's configuration that apply to all companies",
  reply: okReply({ appliance: Appliance }),
});

export const applianceRoutes = ({ parts: { fixedSettings, statusSources } }: ProductContext) => [
  route(getAppliance)(async () => {
    const { engine, warnings, mailFrom, paymentsReady } = fixedSettings();
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
        payments_ready: paymentsReady,
        warnings: {
          low_balance_eur: warnings.lowBalances.map(eur),
          new_numbers_per_hour: newNumbersPerHour,
          new_countries_per_day: newCountriesPerDay,
        },
      },
    };
  }),
];
