/*
 * The reference: N streams of PCMA silence sent every 20 ms by a plain C loop (clock_nanosleep on an
 * absolute schedule, four slots within 20 ms, as ours), a socket each.
 *
 *   pacer HOST PORT STREAMS SECONDS      prints its CPU time in percent of a core. PORT may be as many
 *                                        ports as streams, with commas: one for each.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#define SLOTS 4
#define SLOT_NS 5000000LL

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  int streams = atoi(argv[3]), seconds = atoi(argv[4]);
  struct sockaddr_in to = {.sin_family = AF_INET};
  inet_pton(AF_INET, argv[1], &to.sin_addr);
  int *sockets = malloc(sizeof *sockets * (size_t)streams);
  char *ports = argv[2];
  for (int i = 0; i < streams; i++) {
    to.sin_port = htons((uint16_t)strtol(ports, &ports, 10));
    if (*ports == ',') ports++;
    else ports = argv[2];
    sockets[i] = socket(AF_INET, SOCK_DGRAM, 0);
    connect(sockets[i], (struct sockaddr *)&to, sizeof to);
  }
  uint8_t packet[172];
  memset(packet, 0xd5, sizeof packet);
  packet[0] = 0x80;
  packet[1] = 8;
  struct timespec due;
  clock_gettime(CLOCK_MONOTONIC, &due);
  for (int tick = 0; tick < seconds * 50; tick++) {
    for (int slot = 0; slot < SLOTS; slot++) {
      due.tv_nsec += SLOT_NS;
      if (due.tv_nsec >= 1000000000) {
        due.tv_nsec -= 1000000000;
        due.tv_sec++;
      }
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
      for (int i = slot; i < streams; i += SLOTS) {
        uint32_t ssrc = htonl((uint32_t)i + 1), timestamp = htonl((uint32_t)tick * 160);
        uint16_t sequence = htons((uint16_t)tick);
        memcpy(packet + 2, &sequence, 2);
        memcpy(packet + 4, &timestamp, 4);
        memcpy(packet + 8, &ssrc, 4);
        if (send(sockets[i], packet, sizeof packet, 0) < 0) continue;
      }
    }
  }
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  printf("{\"cpuPercent\":%.1f}\n", 100 * cpu / seconds);
  return 0;
}
