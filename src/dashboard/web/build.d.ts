/** Put in by scripts/build-dashboard.ts: the address of the audio worklet's own bundle. */
declare const MICROPHONE_WORKLET_URL: string;
