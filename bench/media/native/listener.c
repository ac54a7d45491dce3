/*
 * Listens in on the loopback interface to the RTP that one address sends from a range of ports, and
 * judges its pacing by the kernel's time stamps. Whoever gets the packets is not disturbed. Needs
 * CAP_NET_RAW.
 *
 *   listener HOST FIRST LAST   prints "ready"; each line of standard input prints the intervals since
 *                              the line before as one JSON line (late: more than 20 ms too late,
 *                              veryLate: more than 60); ends with standard input.
 */
#define _GNU_SOURCE
#include "intervals.h"
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define UDP_PROTOCOL 17
#define UDP_HEADER_BYTES 8

static struct stream streams[65536];
static uint8_t heard[65536];
static uint32_t host;
static int first, last, streams_heard;

static void look_at(const uint8_t *ip, ssize_t size, int64_t ns) {
  if (size < 40 || ip[0] >> 4 != 4 || ip[9] != UDP_PROTOCOL || memcmp(ip + 12, &host, 4) != 0)
    return;
  const uint8_t *udp = ip + (ip[0] & 15) * 4;
  int port = udp[0] << 8 | udp[1];
  const uint8_t *packet = udp + UDP_HEADER_BYTES;
  if (port < first || port > last || !is_rtp(packet, size - (packet - ip))) return;
  if (!heard[port]) streams_heard++;
  heard[port] = 1;
  take(&streams[port], packet, ns, 1);
}

static void drain(int fd) {
  for (int i = 0; i < 256; i++) {
    uint8_t packet[2048];
    char control[256];
    struct iovec data = {packet, sizeof packet};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control,
                             .msg_controllen = sizeof control};
    ssize_t size = recvmsg(fd, &message, MSG_DONTWAIT);
    if (size < 0) return;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
      if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS) continue;
      struct timespec stamp;
      memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
      look_at(packet, size, stamp.tv_sec * 1000000000LL + stamp.tv_nsec);
    }
  }
}

int main(int argc, char **argv) {
  if (argc < 4 || inet_pton(AF_INET, argv[1], &host) != 1) return 2;
  first = atoi(argv[2]);
  last = atoi(argv[3]);
  int fd = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_IP));
  int on = 1, buffer = 16 * 1024 * 1024;
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer);
  setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on);
  struct sockaddr_ll loopback = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP),
                                 .sll_ifindex = (int)if_nametoindex("lo")};
  if (fd < 0 || bind(fd, (struct sockaddr *)&loopback, sizeof loopback) != 0) return 1;
  samples = malloc(sizeof *samples * SAMPLES_MAX);
  puts("ready");
  fflush(stdout);
  struct pollfd polled[2] = {{.fd = fd, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
  for (;;) {
    if (poll(polled, 2, -1) < 0) return 1;
    if (polled[0].revents & POLLIN) drain(fd);
    if (!polled[1].revents) continue;
    char word[64];
    if (read(0, word, sizeof word) <= 0) return 0;
    print_intervals(streams_heard);
    memset(heard, 0, sizeof heard);
    streams_heard = 0;
  }
}
