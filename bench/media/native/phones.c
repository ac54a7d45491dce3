/*
 * The callers' audio of a whole appliance: as many phones as it sends audio to, all behind one socket,
 * so that generating takes little of the processor. Each phone is told from the others by the port that
 * our side sends from. It answers with PCMA every 20 ms from the first packet on: silence, or speech
 * from a file of A-law octets, every phone at a place of its own. Intervals are by the kernel's time
 * stamps (SO_TIMESTAMPNS), so that no wake-up of this program is in the figures.
 *
 *   phones HOST [SPEECH [SPOKEN]]    prints "port N"; each line of standard input prints the intervals
 *                                    since the line before as one JSON line; ends with standard input.
 *
 * With SPOKEN, the first so many octets of SPEECH are a question and the rest is a pause for its answer: a
 * line that begins with "a" prints how long callers waited, from their last sound to the first loud packet.
 */
#define _GNU_SOURCE
#include "intervals.h"
#include <arpa/inet.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PHONES_MAX 4096
#define SLOTS 10
#define SLOT_NS (TICK_NS / SLOTS)
#define FRAME 160
#define HEADER 12
#define BATCH 64
#define WAITS_MAX 65536
/* Segment of A-law above which a sample is loud: more than 1000 of 32768. */
#define LOUD 3

struct phone {
  struct sockaddr_in peer;
  struct stream stream;
  uint8_t packet[HEADER + FRAME];
  uint32_t timestamp;
  uint16_t sequence;
  size_t spoken;
  /* When the question ended; 0: it is not waiting. */
  int64_t asked_ns;
};

static struct phone phones[PHONES_MAX];
static int phone_of_port[65536];
static int phone_count;
static uint8_t *speech;
static size_t speech_size, question_size, unanswered;
/* Waits for an answer, in microseconds. */
static uint32_t waits[WAITS_MAX];
static size_t wait_count;

static struct phone *phone_of(const struct sockaddr_in *from) {
  int *known = &phone_of_port[ntohs(from->sin_port)];
  if (*known > 0) return &phones[*known - 1];
  if (phone_count == PHONES_MAX) return NULL;
  struct phone *phone = &phones[phone_count++];
  *known = phone_count;
  phone->peer = *from;
  phone->packet[0] = 0x80;
  phone->packet[1] = 8;
  uint32_t ssrc = htonl(0x70000000u + (uint32_t)phone_count);
  memcpy(phone->packet + 8, &ssrc, 4);
  memset(phone->packet + HEADER, 0xd5, FRAME);
  if (speech_size) phone->spoken = (size_t)phone_count * 7919 * FRAME % speech_size;
  return phone;
}

static int64_t now_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void ask(struct phone *phone, size_t before) {
  if (question_size == 0 || before >= question_size || phone->spoken < question_size) return;
  if (phone->asked_ns) unanswered++;
  phone->asked_ns = now_ns(CLOCK_REALTIME);
}

static int is_loud(const uint8_t *packet, size_t size) {
  for (size_t i = HEADER; i < size; i++)
    if (((packet[i] ^ 0x55) >> 4 & 7) >= LOUD) return 1;
  return 0;
}

static void answered(struct phone *phone, const uint8_t *packet, size_t size, int64_t ns) {
  if (!phone->asked_ns || ns < phone->asked_ns || !is_loud(packet, size)) return;
  if (wait_count < WAITS_MAX) waits[wait_count++] = (uint32_t)((ns - phone->asked_ns) / 1000);
  phone->asked_ns = 0;
}

static void print_answers(void) {
  qsort(waits, wait_count, sizeof *waits, by_size);
  size_t last = wait_count ? wait_count - 1 : 0;
  printf("{\"answers\":%zu,\"unanswered\":%zu,\"p50Ms\":%.1f,\"p95Ms\":%.1f,\"maxMs\":%.1f}\n",
         wait_count, unanswered, waits[last / 2] / 1000.0, waits[last * 95 / 100] / 1000.0,
         waits[last] / 1000.0);
  fflush(stdout);
  wait_count = unanswered = 0;
}

static void say(struct phone *phone) {
  uint16_t sequence = htons(phone->sequence++);
  uint32_t timestamp = htonl(phone->timestamp);
  phone->timestamp += FRAME;
  memcpy(phone->packet + 2, &sequence, 2);
  memcpy(phone->packet + 4, &timestamp, 4);
  if (speech_size < FRAME) return;
  if (phone->spoken + FRAME > speech_size) phone->spoken = 0;
  memcpy(phone->packet + HEADER, speech + phone->spoken, FRAME);
  phone->spoken += FRAME;
  ask(phone, phone->spoken - FRAME);
}

static void serve(int fd, int slot) {
  struct mmsghdr messages[BATCH];
  struct iovec data[BATCH];
  memset(messages, 0, sizeof messages);
  unsigned ready = 0;
  for (int i = slot; i < phone_count; i += SLOTS) {
    say(&phones[i]);
    data[ready] = (struct iovec){phones[i].packet, sizeof phones[i].packet};
    messages[ready].msg_hdr = (struct msghdr){.msg_name = &phones[i].peer,
        .msg_namelen = sizeof phones[i].peer, .msg_iov = &data[ready], .msg_iovlen = 1};
    if (++ready < BATCH && i + SLOTS < phone_count) continue;
    sendmmsg(fd, messages, ready, 0);
    ready = 0;
  }
}

static void hear(int fd) {
  static struct mmsghdr messages[BATCH];
  static struct iovec data[BATCH];
  static struct sockaddr_in from[BATCH];
  static uint8_t packets[BATCH][2048], control[BATCH][128];
  for (;;) {
    for (int i = 0; i < BATCH; i++) {
      data[i] = (struct iovec){packets[i], sizeof packets[i]};
      messages[i].msg_hdr = (struct msghdr){.msg_name = &from[i], .msg_namelen = sizeof from[i],
          .msg_iov = &data[i], .msg_iovlen = 1, .msg_control = control[i],
          .msg_controllen = sizeof control[i]};
    }
    int count = recvmmsg(fd, messages, BATCH, MSG_DONTWAIT, NULL);
    for (int i = 0; i < count; i++) {
      struct phone *phone = is_rtp(packets[i], messages[i].msg_len) ? phone_of(&from[i]) : NULL;
      struct cmsghdr *stamped = CMSG_FIRSTHDR(&messages[i].msg_hdr);
      if (!phone || !stamped || stamped->cmsg_type != SCM_TIMESTAMPNS) continue;
      struct timespec stamp;
      memcpy(&stamp, CMSG_DATA(stamped), sizeof stamp);
      int64_t ns = stamp.tv_sec * 1000000000LL + stamp.tv_nsec;
      take(&phone->stream, packets[i], ns, 1);
      answered(phone, packets[i], messages[i].msg_len, ns);
    }
    if (count < BATCH) return;
  }
}

static void read_speech(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return;
  speech = malloc(SAMPLES_MAX);
  speech_size = fread(speech, 1, SAMPLES_MAX, file);
  fclose(file);
}

int main(int argc, char **argv) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1, room = 16 * 1024 * 1024;
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t address_size = sizeof address;
  if (argc < 2 || inet_pton(AF_INET, argv[1], &address.sin_addr) != 1) return 2;
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) return 1;
  getsockname(fd, (struct sockaddr *)&address, &address_size);
  if (argc > 2) read_speech(argv[2]);
  if (argc > 3) question_size = strtoul(argv[3], NULL, 10);
  samples = malloc(sizeof *samples * SAMPLES_MAX);
  printf("port %d\n", ntohs(address.sin_port));
  fflush(stdout);

  struct pollfd polled[2] = {{.fd = fd, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
  int64_t due = now_ns(CLOCK_MONOTONIC);
  for (int slot = 0;;) {
    int64_t left = due - now_ns(CLOCK_MONOTONIC);
    if (left <= 0) {
      serve(fd, slot);
      slot = (slot + 1) % SLOTS;
      due += SLOT_NS;
      hear(fd);
      continue;
    }
    /* What comes is read with the next slot: the kernel has stamped it already. */
    struct timespec pause = {.tv_nsec = left};
    if (ppoll(&polled[1], 1, &pause, NULL) <= 0) continue;
    char word[64];
    if (read(0, word, sizeof word) <= 0) return 0;
    hear(fd);
    if (word[0] == 'a') print_answers();
    else print_intervals(phone_count);
  }
}
