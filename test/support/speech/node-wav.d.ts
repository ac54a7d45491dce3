/** Types for the part of node-wav that tests use: an independent reader of WAV files. */
declare module "node-wav" {
  export function decode(file: Uint8Array): {
    readonly sampleRate: number;
    readonly channelData: readonly Float32Array[];
  };
}
