/**
 * Plays a busy announcement when the machine has no room for a call, in the agent's language and voice. It is
 * early media: the call is never answered, so nobody pays for it.
 *
 * A caller without early media only gets the rejection. So does a caller above the limit of concurrent
 * announcements.
 */

import { phrasesFor } from "../../conversation/speech/phrases.ts";
import { type Clock, within } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { conversationRateHz } from "../../core/media-plan.ts";
import { announcementConfig } from "../call-config.ts";
import type { CallSettings } from "../call-settings.ts";
import type { CallChannel, CallMedia } from "../media-port.ts";
import type { IncomingLeg } from "../sip-port.ts";
import type { Route } from "./inbound-set-up.ts";

interface AnnouncerPorts {
  readonly media: Pick<CallMedia, "open">;
  readonly settings: Pick<CallSettings, "rtpHost" | "voiceAliases">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Maximum concurrent announcements. Each only plays a cached sentence. */
const TOLD_AT_ONCE_MAX = 20;
/** Maximum time from the early media to the rejection. */
const SAYING_MS_MAX = 12_000;

export class BusyAnnouncer {
  /** Announcements that are playing now. */
  #told = 0;

  constructor(private readonly context: AnnouncerPorts) {}

  /** Resolves when the announcement was played or has failed. Never rejects. */
  async say(
    route: Pick<Route, "tenant" | "agent" | "fromNumber" | "toNumber">,
    leg: IncomingLeg,
    callId: string,
  ): Promise<void> {
    const { media, log, settings } = this.context;
    const { agent, fromNumber, toNumber } = route;
    if (!agent || this.#told >= TOLD_AT_ONCE_MAX) return;
    this.#told++;
    let channel: CallChannel | null = null;
    try {
      const text = phrasesFor(agent.language).linesBusy;
      channel = await media.open(
        announcementConfig(route.tenant, agent, text, {
          callId,
          direction: "inbound",
          fromNumber,
          toNumber,
          rtpHost: settings.rtpHost,
          voiceAliases: settings.voiceAliases,
          sampleRateHz: conversationRateHz(leg.offeredCodec ?? null),
        }),
      );
      await say(this.context, channel, leg, text);
    } catch (error) {
      log.warn("call.busy_announcement_failed", { call_id: callId, error: describeError(error) });
    } finally {
      this.#told--;
      void channel?.close("busy");
    }
  }
}

async function say(
  { settings, clock }: AnnouncerPorts,
  channel: CallChannel,
  leg: IncomingLeg,
  text: string,
): Promise<void> {
  const over = Promise.withResolvers<void>();
  channel.on("hangup_requested", () => over.resolve());
  channel.on("failed", () => over.resolve());
  leg.on("ended", () => over.resolve());
  const plan = await leg.earlyMedia({ host: settings.rtpHost, port: channel.rtpPort });
  if (!plan) return;
  channel.send("connect", plan);
  channel.send("announce", text, "busy");
  await within(clock, SAYING_MS_MAX, over.promise);
}
