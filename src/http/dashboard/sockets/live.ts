/** `/ws`: a tenant's live calls and its trunk registration. See routes/home-routes.ts. */

import type { Clock } from "../../../core/clock.ts";
import { describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import type { Services } from "../../../features/appliance/services.ts";
import { presentLive, presentTurn } from "../../../features/call-log/present-live.ts";
import type { DashboardParts, LiveCallView, LiveEvent } from "../ports.ts";
import type { Socket, SocketRoute } from "./socket.ts";

const PING_MS = 20_000;

export function liveSocket(deps: {
  readonly live: DashboardParts["live"];
  readonly remoteNodes: DashboardParts["remoteNodes"];
  readonly agents: Services["agents"];
  readonly clock: Clock;
  readonly log: Log;
}): SocketRoute {
  const { live, remoteNodes, agents, clock, log } = deps;

  /** Loads the agent names. An agent created later gets its name with the next change of its call. */
  async function learn(tenantId: number, names: Map<number, string>): Promise<void> {
    for (const { id, name } of await agents.list(tenantId)) names.set(id, name);
  }

  function sendCall(socket: Socket, names: Map<number, string>, call: LiveCallView): void {
    const { agentId } = call;
    const name = agentId === null ? null : names.get(agentId);
    socket.json({ type: "call", call: presentLive(call, name ?? null) });
    if (name === undefined)
      learn(call.tenantId, names).catch((error) =>
        log.warn("live.agents_not_read", { error: describeError(error) }),
      );
  }

  function sendEvent(socket: Socket, names: Map<number, string>, event: LiveEvent): void {
    if (event.type === "call") sendCall(socket, names, event.call);
    else socket.json(messageOf(event));
  }

  return {
    path: "/ws",
    role: "viewer",
    async open(_, { tenantId }) {
      const names = new Map<number, string>();
      await learn(tenantId, names);
      return (socket) => {
        const unsubscribe = live.follow(tenantId, (event) => sendEvent(socket, names, event));
        for (const call of live.list(tenantId)) {
          sendEvent(socket, names, { type: "call", call });
          const { callUuid } = call;
          for (const turn of live.turns(tenantId, callUuid))
            sendEvent(socket, names, { type: "turn", callUuid, turn });
        }
        socket.json({ type: "ready" });
        const gone = new AbortController();
        void remoteNodes?.follow(tenantId, (event) => sendEvent(socket, names, event), gone.signal);
        const ping = clock.every(PING_MS, () => socket.json({ type: "ping" }));
        return {
          closed() {
            unsubscribe();
            gone.abort();
            ping.cancel();
          },
        };
      };
    },
  };
}

/** Message for any event except a change of a call. */
function messageOf(event: Exclude<LiveEvent, { readonly type: "call" }>): object {
  switch (event.type) {
    case "turn":
      return { type: "turn", call_uuid: event.callUuid, turn: presentTurn(event.turn) };
    case "ended":
      return {
        type: "ended",
        call_uuid: event.callUuid,
        status: event.status,
        ended_reason: event.endedReason,
      };
    case "registration": {
      const failed = event.status.name === "failed" ? event.status : null;
      return {
        type: "registration",
        status: event.status.name,
        last_code: failed?.lastCode ?? null,
        explanation: failed?.explanation ?? null,
      };
    }
  }
}
