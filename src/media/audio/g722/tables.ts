/**
 * The constants of ITU-T G.722 as printed in the Recommendation: quantiser decision levels and
 * outputs (tables 14 to 19), scale factor adaptation (20, 21), and the QMF coefficients (11).
 */

/** QMF coefficients h0, h2 … h22; the filter is symmetric, so these are h23, h21 … h1 too. */
export const QMF = Int32Array.of(3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11);

/** Decision levels of the 6-bit quantiser of the lower band, in units of its scale factor. */
export const LOWER_LEVELS = new Int32Array([
  0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1023,
  1121, 1219, 1339, 1458, 1612, 1765, 1980, 2195, 2557, 2919,
]);

/**
 * Codewords of the lower band for the intervals 1–30: for negative and for positive differences.
 */
export const LOWER_CODES_NEGATIVE = new Int32Array([
  0, 63, 62, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10,
  9, 8, 7, 6, 5, 4,
]);
export const LOWER_CODES_POSITIVE = new Int32Array([
  0, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38,
  37, 36, 35, 34, 33, 32,
]);

/**
 * Quantised values of the 4 most significant bits of a lower-band codeword: both ends adapt by
 * them.
 */
export const LOWER_OUTPUT_4_BIT = new Int32Array([
  0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200,
  0,
]);

/** Quantised values of all 6 bits: the decoder's output at 64 kbit/s. */
export const LOWER_OUTPUT_6_BIT = new Int32Array([
  -136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192, -10232,
  -9360, -8576, -7856, -7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576, -3168, -2776, -2400,
  -2032, -1688, -1360, -1040, -728, 24808, 21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232,
  9360, 8576, 7856, 7192, 6576, 6000, 5456, 4944, 4464, 4008, 3576, 3168, 2776, 2400, 2032, 1688,
  1360, 1040, 728, 432, 136, -432, -136,
]);

/** Step of the lower band's logarithmic scale factor, by the 4 most significant bits. */
export const LOWER_LOG_STEP = new Int32Array([
  -60, 3042, 1198, 538, 334, 172, 58, -30, 3042, 1198, 538, 334, 172, 58, -30, -60,
]);
export const LOWER_LOG_MAX = 18432;

/** Decision level of the 2-bit quantiser of the higher band, in units of its scale factor. */
export const HIGHER_LEVEL = 564;
export const HIGHER_OUTPUT = Int32Array.of(-7408, -1616, 7408, 1616);
export const HIGHER_LOG_STEP = Int32Array.of(798, -214, 798, -214);
export const HIGHER_LOG_MAX = 22528;

/** 2048 · 2^(i/32): the antilogarithm of the fraction of a scale factor. */
export const ANTILOG = new Int32Array([
  2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834,
  2896, 2960, 3025, 3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008,
]);
