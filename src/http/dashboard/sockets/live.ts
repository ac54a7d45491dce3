/** `/ws`: a tenant's calls as they live, and its registration. See contracts/home.ts. */

import type { Clock } from "../../../core/clock.ts";
import { agentStore } from "../../../store/agent-store.ts";
import type { Database } from "../../../store/database.ts";
import type { DashboardParts, LiveEvent } from "../ports.ts";
import { presentLive, presentTurn } from "../present-live.ts";
import type { Socket, SocketRoute } from "./socket.ts";

const PING_MS = 20_000;

export function liveSocket(deps: {
  readonly live: DashboardParts["live"];
  readonly database: Database;
  readonly clock: Clock;
}): SocketRoute {
  const { live, database, clock } = deps;

  function tell(socket: Socket, names: ReadonlyMap<number, string>, event: LiveEvent): void {
    switch (event.type) {
      case "call": {
        const name = event.call.agentId === null ? null : (names.get(event.call.agentId) ?? null);
        socket.json({ type: "call", call: presentLive(event.call, name) });
        break;
      }
      case "turn":
        socket.json({
          ...{ type: "turn", call_uuid: event.callUuid },
          turn: presentTurn(event.turn),
        });
        break;
      case "ended":
        socket.json({
          ...{ type: "ended", call_uuid: event.callUuid, status: event.status },
          ended_reason: event.endedReason,
        });
        break;
      case "registration": {
        const failed = event.status.name === "failed" ? event.status : null;
        socket.json({
          ...{ type: "registration", status: event.status.name },
          last_code: failed?.lastCode ?? null,
          explanation: failed?.explanation ?? null,
        });
        break;
      }
    }
  }

  return {
    path: "/ws",
    role: "viewer",
    async open(_, { tenantId }) {
      const agents = await agentStore(database.read).list(tenantId);
      const names = new Map(agents.map(({ id, name }) => [id, name]));
      return (socket) => {
        const unsubscribe = live.follow(tenantId, (event) => tell(socket, names, event));
        for (const call of live.list(tenantId)) tell(socket, names, { type: "call", call });
        socket.json({ type: "ready" });
        const ping = clock.every(PING_MS, () => socket.json({ type: "ping" }));
        return {
          closed() {
            unsubscribe();
            ping.cancel();
          },
        };
      };
    },
  };
}
