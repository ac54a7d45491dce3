/** Settings that some providers publish for their customers. Every value stays editable. */

interface Preset {
  readonly id: string;
  readonly name: string;
  readonly server: string;
  readonly port: number;
  readonly transport: "udp" | "tcp" | "tls";
  readonly register: boolean;
}

export const PRESETS: readonly Preset[] = [
  {
    id: "telnyx",
    name: "Telnyx",
    server: "sip.telnyx.com",
    port: 5061,
    transport: "tls",
    register: true,
  },
  {
    id: "zadarma",
    name: "Zadarma",
    server: "sip.zadarma.com",
    port: 5060,
    transport: "udp",
    register: true,
  },
  {
    id: "sipgate",
    name: "sipgate trunking",
    server: "sipconnect.sipgate.de",
    port: 5060,
    transport: "udp",
    register: true,
  },
  {
    id: "twilio",
    name: "Twilio Elastic SIP Trunking",
    server: "example.pstn.twilio.com",
    port: 5061,
    transport: "tls",
    register: false,
  },
];
