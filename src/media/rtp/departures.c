/*
 * The send thread (departures.ts). It takes a packet from the queue of a call worker, sleeps until the packet
 * is due, and sends it. One thread writes the queue and one reads it. Two POSIX semaphores count queued and
 * free places, and order the memory between the two threads. The main thread creates and ends the send
 * thread. So a call worker may die between any two of these functions: its sockets are closed at the end.
 *
 * The runtime's own compiler reads this file on machines without header files. Therefore the used parts of
 * the C library are declared here, as on 64-bit Linux.
 */
#define PLACES 1024
#define OCTETS_MAX 704
/* Size of a sockaddr_in6. The kernel accepts a sockaddr_in in the same number of bytes. */
#define ADDRESS_OCTETS 28
/* Replaces the size of a packet. */
#define CLOSE_SOCKET -1
#define CLOCK_MONOTONIC 1
#define TIMER_ABSTIME 1
/* MSG_DONTWAIT and MSG_NOSIGNAL. */
#define AT_ONCE 0x4040
/* With SCHED_RESET_ON_FORK: threads started by this one would not inherit it. */
#define SCHED_FIFO 0x40000001
#define SIG_SETMASK 2
#define PR_SET_NAME 15
/* Packets without a pause: far below the systemd unit's limit of real-time work (LimitRTTIME). */
#define UNRESTED_MAX 32
#define REST_MS 0.05
#define PR_SET_TIMERSLACK 29
/* SOCK_DGRAM and SOCK_CLOEXEC. */
#define DATAGRAMS 0x80002

/* At least as large as a `sem_t` and a `sigset_t`. */
typedef long semaphore[8];
typedef unsigned long signals[16];
struct timespec {
  long seconds, nanoseconds;
};

int sem_init(semaphore *, int, unsigned);
int sem_wait(semaphore *);
int sem_trywait(semaphore *);
int sem_post(semaphore *);
int pthread_create(unsigned long *, void *, void *(*)(void *), void *);
int pthread_detach(unsigned long);
int pthread_sigmask(int, const signals *, signals *);
int prctl(int, ...);
int sched_setscheduler(int, int, const int *);
int clock_gettime(int, struct timespec *);
int clock_nanosleep(int, int, const struct timespec *, struct timespec *);
int socket(int, int, int);
long sendto(int, const void *, unsigned long, int, const void *, unsigned);
int close(int);
void *calloc(unsigned long, unsigned long);
void free(void *);
void *memcpy(void *, const void *, unsigned long);

struct place {
  double due_ms;
  int socket, size;
  unsigned char address[ADDRESS_OCTETS], octets[OCTETS_MAX];
};

struct owned_socket {
  int socket;
  struct owned_socket *next;
};

struct departures {
  semaphore queued, empty;
  unsigned next_in, next_out;
  int is_started;
  /* Used by the call worker, later by the end of the thread. */
  struct owned_socket *sockets;
  struct place places[PLACES];
};

double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.seconds * 1e3 + (double)now.nanoseconds / 1e6;
}

static void sleep_until(double ms) {
  struct timespec due;
  due.seconds = (long)(ms / 1e3);
  due.nanoseconds = (long)((ms - (double)due.seconds * 1e3) * 1e6);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, 0);
}

static void release(struct departures *departures) {
  while (departures->sockets) {
    struct owned_socket *left = departures->sockets;
    departures->sockets = left->next;
    close(left->socket);
    free(left);
  }
  free(departures);
}

static void *depart(void *argument) {
  struct departures *departures = argument;
  double slept_until_ms = 0;
  int unrested = 0;
  /* Signals to the process are handled by its other threads. */
  const int lowest = 1;
  signals all;
  for (int word = 0; word < 16; word++) all[word] = ~0UL;
  pthread_sigmask(SIG_SETMASK, &all, 0);
  prctl(PR_SET_NAME, "departures");
  prctl(PR_SET_TIMERSLACK, 1UL);
  /* It works only briefly and waits for no other thread, so it may have priority. If the system does not allow
   * it, it keeps the nice value of the thread that started it. */
  sched_setscheduler(0, SCHED_FIFO, &lowest);
  for (;;) {
    sem_wait(&departures->queued);
    if (departures->next_out == departures->next_in) break;
    struct place *place = &departures->places[departures->next_out++ % PLACES];
    if (place->due_ms > slept_until_ms) {
      slept_until_ms = place->due_ms;
      if (slept_until_ms > now_ms()) unrested = 0;
      sleep_until(slept_until_ms);
    }
    /* In each send the kernel may also process a flood of received packets. A late thread would then never
     * sleep, and the system would treat it as a runaway real-time thread. */
    if (++unrested > UNRESTED_MAX) {
      sleep_until(now_ms() + REST_MS);
      unrested = 0;
    }
    if (place->size == CLOSE_SOCKET) close(place->socket);
    else sendto(place->socket, place->octets, place->size, AT_ONCE, place->address, ADDRESS_OCTETS);
    sem_post(&departures->empty);
  }
  release(departures);
  return 0;
}

/* Returns null without memory. */
struct departures *create_departures(void) {
  struct departures *departures = calloc(1, sizeof *departures);
  if (!departures) return 0;
  sem_init(&departures->queued, 0, 0);
  sem_init(&departures->empty, 0, PLACES);
  return departures;
}

/* Called after the call worker has ended. The thread ends after the queued packets; does not wait for it. */
void end_departures(struct departures *departures) {
  if (departures->is_started) sem_post(&departures->queued);
  else release(departures);
}

/* The call worker uses this function and all below. Returns 0 if no thread can be created. */
int start_departures(struct departures *departures) {
  unsigned long thread;
  if (pthread_create(&thread, 0, depart, departures) != 0) return 0;
  pthread_detach(thread);
  departures->is_started = 1;
  return 1;
}

/* Returns a negative number if no socket can be created. */
int open_socket(struct departures *departures, int family) {
  struct owned_socket *opened = calloc(1, sizeof *opened);
  if (!opened) return -1;
  opened->socket = socket(family, DATAGRAMS, 0);
  if (opened->socket < 0) {
    free(opened);
    return -1;
  }
  opened->next = departures->sockets;
  departures->sockets = opened;
  return opened->socket;
}

static struct place *next_place(struct departures *departures, int socket, int size) {
  struct place *place = &departures->places[departures->next_in++ % PLACES];
  place->due_ms = 0;
  place->socket = socket;
  place->size = size;
  return place;
}

/* Returns 0 if the packet is too long, or if no place is free. */
int queue_packet(struct departures *departures, double due_ms, int socket, const void *octets,
                 int size, const void *address) {
  if (size < 0 || size > OCTETS_MAX || sem_trywait(&departures->empty) != 0) return 0;
  struct place *place = next_place(departures, socket, size);
  place->due_ms = due_ms;
  memcpy(place->octets, octets, size);
  memcpy(place->address, address, ADDRESS_OCTETS);
  sem_post(&departures->queued);
  return 1;
}

/* Closes the socket after all packets queued so far. Waits for a free place. */
void queue_close(struct departures *departures, int socket) {
  struct owned_socket **at = &departures->sockets;
  while (*at && (*at)->socket != socket) at = &(*at)->next;
  if (!*at) return;
  struct owned_socket *closed = *at;
  *at = closed->next;
  free(closed);
  sem_wait(&departures->empty);
  next_place(departures, socket, CLOSE_SOCKET);
  sem_post(&departures->queued);
}
