/** The part of node-wav that tests use: a reader of WAV files that is not ours. */
declare module "node-wav" {
  export function decode(file: Uint8Array): {
    readonly sampleRate: number;
    readonly channelData: readonly Float32Array[];
  };
}
