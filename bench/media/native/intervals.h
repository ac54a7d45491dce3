/*
 * |interval - 20 ms| of RTP streams, collected and printed as percentiles: what receiver.c and
 * listener.c have in common. A stream begins anew with another SSRC.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#define SAMPLES_MAX (8 * 1024 * 1024)
#define TICK_NS 20000000LL
/* Later than a whole packet, and later than a small jitter buffer holds. */
#define LATE_US 20000
#define VERY_LATE_US 60000

struct stream {
  uint32_t ssrc;
  uint16_t sequence;
  int64_t last_ns;
};

static uint32_t *samples;
static size_t sample_count, lost, late, very_late;

static uint32_t ssrc_of(const uint8_t *packet) {
  return (uint32_t)packet[8] << 24 | (uint32_t)packet[9] << 16 | (uint32_t)packet[10] << 8 |
         packet[11];
}

static int is_rtp(const uint8_t *packet, ssize_t size) {
  return size >= 12 && packet[0] >> 6 == 2 && !(packet[1] >= 192 && packet[1] <= 223);
}

static void take(struct stream *stream, const uint8_t *packet, int64_t ns, int counting) {
  uint32_t ssrc = ssrc_of(packet);
  uint16_t sequence = (uint16_t)(packet[2] << 8 | packet[3]);
  uint16_t gap = (uint16_t)(sequence - stream->sequence);
  int64_t last_ns = stream->ssrc == ssrc ? stream->last_ns : 0;
  if (last_ns != 0 && gap >= 0x8000) { /* overtaken by another: it was taken for lost */
    if (counting && lost > 0) lost--;
    return;
  }
  stream->ssrc = ssrc;
  stream->last_ns = ns;
  stream->sequence = sequence;
  if (!counting || last_ns == 0) return;
  if (gap != 1) {
    lost += gap == 0 ? 0 : (size_t)(gap - 1);
    return;
  }
  int64_t off = ns - last_ns - TICK_NS;
  if (off > LATE_US * 1000LL) late++;
  if (off > VERY_LATE_US * 1000LL) very_late++;
  if (off < 0) off = -off;
  if (sample_count < SAMPLES_MAX) samples[sample_count++] = (uint32_t)(off / 1000);
}

static int by_size(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static double at(double share) {
  if (sample_count == 0) return 0;
  size_t index = (size_t)((double)sample_count * share);
  return samples[index < sample_count ? index : sample_count - 1] / 1000.0;
}

/* One JSON line; counting begins anew. */
static void print_intervals(int streams) {
  qsort(samples, sample_count, sizeof *samples, by_size);
  printf("{\"streams\":%d,\"packets\":%zu,\"lost\":%zu,\"late\":%zu,\"veryLate\":%zu,"
         "\"p50\":%.3f,\"p99\":%.3f,\"p999\":%.3f,\"max\":%.3f}\n",
         streams, sample_count, lost, late, very_late, at(0.5), at(0.99), at(0.999), at(1));
  fflush(stdout);
  sample_count = lost = late = very_late = 0;
}
