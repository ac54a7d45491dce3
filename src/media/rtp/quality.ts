/**
 * Listening quality as one number: the E-model of ITU-T G.107 with default values except for loss
 * and delay. Robustness to loss is that of G.711 with concealment (G.113 Appendix I: Ie = 0, Bpl =
 * 25.1). An estimate for dashboards, not a measurement.
 */
const R_DEFAULT = 93.2;
const LOSS_ROBUSTNESS = 25.1;
const EQUIPMENT_IMPAIRMENT_MAX = 95;
const MOS_MIN = 1;
/** Packet time and the coders' delay of both parties, in addition to jitter buffer and network. */
export const OTHER_DELAY_MS = 60;

/**
 * MOS from 1.0 to 4.4. `lossRatio` 0–1 (late packets count as lost); `delayMs`: mouth-to-ear delay.
 */
export function estimateMos(lossRatio: number, delayMs: number): number {
  const lossPercent = Math.min(1, Math.max(0, lossRatio)) * 100;
  const loss = (EQUIPMENT_IMPAIRMENT_MAX * lossPercent) / (lossPercent + LOSS_ROBUSTNESS);
  const delay = 0.024 * delayMs + (delayMs > 177.3 ? 0.11 * (delayMs - 177.3) : 0);
  return mosOfRating(R_DEFAULT - loss - delay);
}

/** ITU-T G.107 Annex B. */
function mosOfRating(rating: number): number {
  if (rating <= 0) return MOS_MIN;
  const r = Math.min(rating, 100);
  const mos = 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6;
  return Math.max(MOS_MIN, Math.round(mos * 100) / 100);
}
