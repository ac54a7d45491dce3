/**
 * `/calls/{uuid}/listen`: audio of both sides of a live call, for people who may change the tenant's calls.
 * Read only. The audit log records every listener.
 */
import { notFound } from "../../../core/errors.ts";
import { isUuid } from "../../../core/ids.ts";
import type { Identity } from "../../../features/identity/identity.ts";
import type { DashboardParts } from "../ports.ts";
import { CLOSE, type SocketRoute } from "./socket.ts";

export function monitorSocket(deps: {
  readonly live: DashboardParts["live"];
  readonly audit: Identity["audit"];
}): SocketRoute {
  const { live, audit } = deps;
  return {
    path: "/calls/{uuid}/listen",
    role: "member",
    async open({ uuid = "" }, { tenantId, session, origins }) {
      const isLive = live
        .list(tenantId)
        .some((call) => call.callUuid === uuid && call.status === "in_progress");
      if (!isUuid(uuid) || !isLive) throw notFound("live call");
      // The audit log entry comes first. If it fails, nobody may listen.
      await audit.write({
        tenantId,
        userId: session?.user.id ?? null,
        userEmail: session?.user.email ?? null,
        action: "listenToCall",
        target: `/calls/${uuid}/listen`,
        ip: origins?.ip ?? "",
        outcome: "done",
      });
      return (socket) => {
        const stop = live.monitor(tenantId, uuid, {
          pcm: (stereo) => socket.binary(bytesOf(stereo)),
          ended: () => socket.close(CLOSE.done, "the call has ended"),
        });
        if (!stop) socket.close(CLOSE.done, "the call has ended");
        return { closed: () => stop?.() };
      };
    },
  };
}

/** All supported machines are little-endian. */
export const bytesOf = (pcm: Int16Array): Uint8Array =>
  new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength);
