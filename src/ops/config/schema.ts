/** The whole configuration file (appliance.md 3). Sections are declared in sections/. */
import { z } from "zod";
import { conversationKeys } from "../../conversation/conversation-settings.ts";
import { section } from "../../platform/config/key.ts";
import { mail, payments, plans } from "./sections/business.ts";
import { engine } from "./sections/engine.ts";
import { httpClient, limits, log, secrets, server, storage, telemetry } from "./sections/server.ts";
import { rtp, sip } from "./sections/telephony.ts";

export const configSchema = z.strictObject({
  server,
  storage,
  secrets,
  sip,
  rtp,
  engine,
  conversation: section(conversationKeys),
  mail,
  payments,
  http_client: httpClient,
  limits,
  plans,
  telemetry,
  log,
});

/** Effective values under the keys of the file; unset texts and secrets are null. */
export type Config = z.output<typeof configSchema>;
