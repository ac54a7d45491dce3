/**
 * An inbound call: called number → tenant's number → agent → admission and hold → ring → answer.
 *
 * A declined call is stored as failed and reported (decisions 5), so that the tenant sees it with the reason.
 */

import type { CallConfig } from "../../conversation/call-config.ts";
import { describeError } from "../../core/errors.ts";
import { uuidV7 } from "../../core/ids.ts";
import type { Billing } from "../../features/billing/billing.ts";
import type { Callers } from "../../features/contact/caller-identification.ts";
import { callFailed } from "../../features/webhook/catalogue.ts";
import type { Admission } from "../admission/admission.ts";
import { endingByUs, endingUnanswered, endingUnopened } from "../ending.ts";
import { LiveCall, type LiveCallPorts } from "../live/live-call.ts";
import type { CallMedia } from "../media-port.ts";
import { type IncomingLeg, LegEnded, type TrunkSettings } from "../sip-port.ts";
import { isTrusted } from "../trusted-trunk.ts";
import { BusyAnnouncer } from "./busy-announcement.ts";
import {
  BUSY_HERE,
  Declined,
  InboundSetUp,
  type Route,
  type SetUpPorts,
  storeCall,
} from "./inbound-set-up.ts";
import type { UnknownCalls } from "./unknown-calls.ts";

export interface InboundPorts extends LiveCallPorts, SetUpPorts {
  readonly settings: LiveCallPorts["settings"] & SetUpPorts["settings"];
  readonly billing: LiveCallPorts["billing"] & Pick<Billing, "planNamed" | "hold">;
  readonly admission: SetUpPorts["admission"] & Pick<Admission, "transfer">;
  readonly media: Pick<CallMedia, "open">;
  readonly callers: LiveCallPorts["callers"] & Pick<Callers, "contextOf" | "lookUp">;
  /** Missing: every call to an unknown number is stored. */
  readonly unknownCalls?: UnknownCalls;
  /** Called when a call has confirmed a claimed number. Must return at once and never throw. */
  readonly onNumberConfirmed?: (tenantId: number, numberE164: string) => void;
}

const TEMPORARILY_UNAVAILABLE = 480;
const SERVICE_UNAVAILABLE = 503;

export class InboundCalls {
  readonly #setUp: InboundSetUp;
  readonly #busyAnnouncer: BusyAnnouncer;

  constructor(private readonly context: InboundPorts) {
    this.#setUp = new InboundSetUp(context);
    this.#busyAnnouncer = new BusyAnnouncer(context);
  }

  /** Takes or declines one leg. Never rejects. */
  async handle(leg: IncomingLeg): Promise<void> {
    const { sip, log } = this.context;
    try {
      const trunk = sip.trunk(leg.trunkId);
      if (trunk) await this.#take(leg, trunk.settings).catch((error) => this.#notTaken(leg, error));
      else leg.reject(TEMPORARILY_UNAVAILABLE);
    } catch (error) {
      log.error("call.inbound_failed", { error: describeError(error) });
      leg.reject(SERVICE_UNAVAILABLE); // another node, or a later try, may take it
    }
  }

  async #take(leg: IncomingLeg, trunk: TrunkSettings): Promise<void> {
    const { context } = this;
    const { route, identity, ...pending } = await this.#setUp.take(leg, trunk);
    context.events.wake();
    leg.ring();
    this.#confirmNumber(route);
    const config = await pending.config.catch((error: unknown) => {
      context.log.warn("call.config_failed", {
        call_id: identity.callUuid,
        error: describeError(error),
      });
      return null;
    });
    const trustedTrunk = isTrusted(context.sip.trunk(leg.trunkId), route.tenant.id);
    const known = { ...identity, callerLevel: config?.callerLevel ?? 0, trustedTrunk };
    const call = new LiveCall(known, context, "ringing");
    call.attachLeg(leg);
    if (config) await answer(context, leg, call, config, route);
    else call.end(endingByUs("failed", "engine_failure", undefined, SERVICE_UNAVAILABLE));
  }

  #confirmNumber({ tenant, number, confirms }: Route): void {
    if (number && confirms) this.context.onNumberConfirmed?.(tenant.id, number.numberE164);
  }

  /** Declines the leg for a `Declined` error; rethrows all others. */
  async #notTaken(leg: IncomingLeg, error: unknown): Promise<void> {
    if (!(error instanceof Declined) || !error.route) throw error;
    const { unknownCalls, log } = this.context;
    const { route, reason } = error;
    this.#confirmNumber(route);
    const isStored =
      route.number || unknownCalls?.isToBeStored(leg.trunkId, route.toNumber) !== false;
    if (!isStored) {
      leg.reject(error.sipCode);
      return;
    }
    log.info("call.declined", { reason, tenant: route.tenant.id });
    await this.#decline(route, leg, error);
  }

  async #decline(route: Route, leg: IncomingLeg, declined: Declined): Promise<void> {
    const { context } = this;
    const { reason, explanation, sipCode } = declined;
    const callUuid = uuidV7(context.clock, context.random);
    const told =
      reason === "busy" ? this.#busyAnnouncer.say(route, leg, callUuid) : Promise.resolve();
    const rejected = told.then(() => leg.reject(sipCode));
    const ending = endingByUs(
      sipCode === BUSY_HERE ? "busy" : "failed",
      reason,
      explanation,
      sipCode,
    );
    const declinedCall = await context.database.tx(async (queries) => {
      const call = await storeCall(context, queries, route, leg, callUuid);
      await context.stores
        .calls(queries)
        .finish(call.tenantId, call.callUuid, { ending, endedAt: context.clock.now() });
      await context.events.emit(queries, call.tenantId, callFailed(call, ending));
      return call;
    });
    context.events.wake();
    context.onEnded?.(declinedCall, { ending, setupMs: null, answeredMs: 0, report: null });
    await rejected;
    await context.diagnostics?.record(declinedCall, {
      sipCallId: leg.sipCallId,
      quality: [],
      packetHeaders: null,
    });
  }
}

async function answer(
  context: InboundPorts,
  leg: IncomingLeg,
  call: LiveCall,
  config: CallConfig,
  { tenant, fromNumber }: Route,
): Promise<void> {
  const callUuid = config.callId;
  try {
    const remoteParty = { direction: "inbound", number: fromNumber, callUuid } as const;
    const fromCrm = await context.callers.lookUp(tenant, remoteParty);
    const channel = await context.media.open({
      ...config,
      callerData: [...(config.callerData ?? []), ...fromCrm],
    });
    call.attachChannel(channel);
    if (!call.isLive) return;
    const { plan } = await leg.answer({ host: context.settings.rtpHost, port: channel.rtpPort });
    call.answered(plan);
  } catch (error) {
    context.log.warn("call.answer_failed", { call_id: callUuid, error: describeError(error) });
    call.end(
      error instanceof LegEnded
        ? endingUnanswered(error.end)
        : endingUnopened(error, SERVICE_UNAVAILABLE),
    );
  }
}
