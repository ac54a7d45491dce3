/** Points an appliance's trunk to sipp, which calls it without registration. */
import { type Appliance, OWN_NUMBER } from "../../test/support/appliance/appliance.ts";
import { CALLER } from "./hosts.ts";

export async function callableBySipp({ app, tenantId }: Appliance): Promise<void> {
  await app.ask("trunk.set", {
    tenant: tenantId,
    server: CALLER,
    port: 5060,
    transport: "udp",
    username: "clinic",
    password: "unused",
    realm: null,
    outbound_proxy: null,
    caller_id: OWN_NUMBER,
    register: false,
    channels: null,
  });
}
