/** Loopback addresses of the signalling measurement. */
export const CALLER = "127.0.45.1";
export const OURS = "127.0.45.2";
export const SIPP_SERVER = "127.0.45.3";
export const KAMAILIO = "127.0.45.4";
/** Calls to this name are forwarded by kamailio.cfg of the tests. */
export const KAMAILIO_PEER = { name: "peer9", host: "127.0.6.109" } as const;
export const REGISTERING = "127.0.45.5";
/** Address of the callers' audio. */
export const PHONES = "127.0.45.6";
export const NUMBER = "+37052000001";

export interface SignallingTarget {
  /** `host:port` */
  readonly sip: string;
  readonly pid: number;
  /** Base URL of its API; only the appliance has one. */
  readonly base: string;
  readonly key: string;
}
