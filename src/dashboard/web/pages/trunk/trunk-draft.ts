/** Values of the trunk form. An unset port is not sent, so that DNS decides. */
import type { Own } from "../../api/client.ts";
import { numberTyped } from "../../api/number.ts";
import type { QueryData, trunkQuery } from "../../api/queries.ts";

export type Trunk = NonNullable<QueryData<typeof trunkQuery>>;
type Transport = Trunk["transport"];

export interface TrunkDraft {
  readonly server: string;
  /** null: DNS decides. */
  readonly port: number | null;
  readonly transport: Transport;
  readonly username: string;
  readonly password: string;
  readonly caller_id: string;
  readonly register: boolean;
  readonly realm: string;
  readonly outbound_proxy: string;
  /** null: as many calls as the plan allows. */
  readonly channels: number | null;
}

export const draftOf = (trunk: Own["Trunk"] | null): TrunkDraft => ({
  server: trunk?.server ?? "",
  port: trunk?.port_stated ? trunk.port : null,
  transport: trunk?.transport ?? "udp",
  username: trunk?.username ?? "",
  password: "",
  caller_id: trunk?.caller_id ?? "",
  register: trunk?.register ?? true,
  realm: trunk?.realm ?? "",
  outbound_proxy: trunk?.outbound_proxy ?? "",
  channels: trunk?.channels ?? null,
});

export const bodyOf = async (draft: TrunkDraft) => ({
  server: draft.server.trim(),
  ...(draft.port === null ? {} : { port: draft.port }),
  port_stated: draft.port !== null,
  transport: draft.transport,
  username: draft.username,
  ...(draft.password ? { password: draft.password } : {}),
  caller_id: await numberTyped(draft.caller_id),
  register: draft.register,
  realm: draft.realm || null,
  outbound_proxy: draft.outbound_proxy || null,
  channels: draft.channels,
});
