/*
 * The send thread (rtp-send-thread.ts). It takes a packet from the queue of a call worker, sleeps until the packet
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

struct send_thread {
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

static void release(struct send_thread *send_thread) {
  while (send_thread->sockets) {
    struct owned_socket *left = send_thread->sockets;
    send_thread->sockets = left->next;
    close(left->socket);
    free(left);
  }
  free(send_thread);
}

static void *depart(void *argument) {
  struct send_thread *send_thread = argument;
  double slept_until_ms = 0;
  int unrested = 0;
  /* Signals to the process are handled by its other threads. */
  const int lowest = 1;
  signals all;
  for (int word = 0; word < 16; word++) all[word] = ~0UL;
  pthread_sigmask(SIG_SETMASK, &all, 0);
  prctl(PR_SET_NAME, "rtp-send");
  prctl(PR_SET_TIMERSLACK, 1UL);
  /* It works only briefly and waits for no other thread, so it may have priority. If the system does not allow
   * it, it keeps the nice value of the thread that started it. */
  sched_setscheduler(0, SCHED_FIFO, &lowest);
  for (;;) {
    sem_wait(&send_thread->queued);
    if (send_thread->next_out == send_thread->next_in) break;
    struct place *place = &send_thread->places[send_thread->next_out++ % PLACES];
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
    sem_post(&send_thread->empty);
  }
  release(send_thread);
  return 0;
}

/* Returns null without memory. */
struct send_thread *create_send_thread(void) {
  struct send_thread *send_thread = calloc(1, sizeof *send_thread);
  if (!send_thread) return 0;
  sem_init(&send_thread->queued, 0, 0);
  sem_init(&send_thread->empty, 0, PLACES);
  return send_thread;
}

/* Called after the call worker has ended. The thread ends after the queued packets; does not wait for it. */
void end_send_thread(struct send_thread *send_thread) {
  if (send_thread->is_started) sem_post(&send_thread->queued);
  else release(send_thread);
}

/* The call worker uses this function and all below. Returns 0 if no thread can be created. */
int start_send_thread(struct send_thread *send_thread) {
  unsigned long thread;
  if (pthread_create(&thread, 0, depart, send_thread) != 0) return 0;
  pthread_detach(thread);
  send_thread->is_started = 1;
  return 1;
}

/* Returns a negative number if no socket can be created. */
int open_socket(struct send_thread *send_thread, int family) {
  struct owned_socket *opened = calloc(1, sizeof *opened);
  if (!opened) return -1;
  opened->socket = socket(family, DATAGRAMS, 0);
  if (opened->socket < 0) {
    free(opened);
    return -1;
  }
  opened->next = send_thread->sockets;
  send_thread->sockets = opened;
  return opened->socket;
}

static struct place *next_place(struct send_thread *send_thread, int socket, int size) {
  struct place *place = &send_thread->places[send_thread->next_in++ % PLACES];
  place->due_ms = 0;
  place->socket = socket;
  place->size = size;
  return place;
}

/* Returns 0 if the packet is too long, or if no place is free. */
int queue_packet(struct send_thread *send_thread, double due_ms, int socket, const void *octets,
                 int size, const void *address) {
  if (size < 0 || size > OCTETS_MAX || sem_trywait(&send_thread->empty) != 0) return 0;
  struct place *place = next_place(send_thread, socket, size);
  place->due_ms = due_ms;
  memcpy(place->octets, octets, size);
  memcpy(place->address, address, ADDRESS_OCTETS);
  sem_post(&send_thread->queued);
  return 1;
}

/* Closes the socket after all packets queued so far. Waits for a free place. */
void queue_close(struct send_thread *send_thread, int socket) {
  struct owned_socket **at = &send_thread->sockets;
  while (*at && (*at)->socket != socket) at = &(*at)->next;
  if (!*at) return;
  struct owned_socket *closed = *at;
  *at = closed->next;
  free(closed);
  sem_wait(&send_thread->empty);
  next_place(send_thread, socket, CLOSE_SOCKET);
  sem_post(&send_thread->queued);
}
