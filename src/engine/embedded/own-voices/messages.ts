/** Messages between a speech worker and the thread for the operator's voices. */

export type ToVoices =
  | { readonly type: "load"; readonly file: string }
  | {
      readonly type: "speak";
      readonly id: number;
      readonly file: string;
      /** With punctuation. */
      readonly phonemes: string;
      readonly ratePercent: number;
    };

export type FromVoices =
  | {
      readonly type: "loaded";
      readonly file: string;
      /** eSpeak NG's name of the voice that made the model's training phonemes. */
      readonly espeakVoice: string;
      readonly sampleRateHz: number;
    }
  /** The file cannot be used. `detail` names it and gives the reason. */
  | { readonly type: "failed"; readonly file: string; readonly detail: string }
  | { readonly type: "spoken"; readonly id: number; readonly pcm: Int16Array }
  | { readonly type: "unspoken"; readonly id: number; readonly detail: string };
