/**
 * The Silero v5 speech model at 8 kHz as a list of layers, each a matrix and a bias.
 * scripts/vad-model.ts extracts them from the published ONNX file and writes them to `weights.zst`
 * in this order.
 *
 *   288 samples (32 previous, 256 new) → mirrored to 320 → STFT, 4 frames of 65 magnitudes
 *   → conv 65→128 (4 frames) → conv 128→64, stride 2 (2) → conv 64→64, stride 2 (1) → conv 64→128 (1)
 *   → LSTM 128 → ReLU → one value → sigmoid
 */
export interface Layer {
  readonly rows: number;
  /** Columns of the input as laid out for the kernel; padded to a multiple of eight in the file. */
  readonly columns: number;
}

export const STFT: Layer = { rows: 130, columns: 128 };
/** Three frames of 65 side by side. */
export const ENCODER_0: Layer = { rows: 128, columns: 195 };
export const ENCODER_1: Layer = { rows: 64, columns: 384 };
/** The third frame is always padding and is omitted. */
export const ENCODER_2: Layer = { rows: 64, columns: 192 };
/** One frame: only the middle of the kernel is used. */
export const ENCODER_3: Layer = { rows: 128, columns: 64 };
/** Input and last output side by side; gates i, f, g, o. */
export const LSTM: Layer = { rows: 512, columns: 256 };
export const DECODER: Layer = { rows: 1, columns: 128 };

export const LAYERS = [STFT, ENCODER_0, ENCODER_1, ENCODER_2, ENCODER_3, LSTM, DECODER] as const;

export const padded = (columns: number): number => Math.ceil(columns / 8) * 8;
/** Floats of a layer in the file: matrix, then bias. */
export const floatsOf = ({ rows, columns }: Layer): number => rows * padded(columns) + rows;
