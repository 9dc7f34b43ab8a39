/* SPDX-License-Identifier: Apache-2.0
 *
 * What ranks need of MPI, with a C interface that is the same for every MPI. `kumi` compiles it with
 * the mpicc of the MPI that has started the run; MpiStream of the engine and
 * kumihimo.ranks.mpi load the result.
 *
 * Bytes to another rank leave as messages of at most SLOT_BYTES, at most SLOTS of them at once.
 * Nothing blocks but init, share and finish. One thread at a time calls.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 8, SLOT_BYTES = 1 << 18 };

typedef struct {
  MPI_Request request[SLOTS];
  char* slot[SLOTS];
  unsigned next, busy; /* the oldest of the busy ones is at next - busy */
  MPI_Request coming;
  char* in;
  int in_bytes, in_at;
} peer_t;

static MPI_Comm comm;
static int ranks;
static peer_t* peers;
static char text[MPI_MAX_ERROR_STRING + 1] = "not started";

static int failed(int code) {
  int n = 0;
  if (code == MPI_SUCCESS) return 0;
  if (MPI_Error_string(code, text, &n) != MPI_SUCCESS) strcpy(text, "unknown error");
  return 1;
}

const char* kumi_mpi_error(void) { return text; }

/* Starts MPI; 0 when all is well. */
int kumi_mpi_init(int* rank, int* size) {
  int provided = 0;
  if (failed(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided))) return 1;
  if (provided < MPI_THREAD_SERIALIZED) {
    strcpy(text, "this MPI can be called by its first thread only");
    return 1;
  }
  if (failed(MPI_Comm_dup(MPI_COMM_WORLD, &comm))) return 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  if (failed(MPI_Comm_rank(comm, rank)) || failed(MPI_Comm_size(comm, size))) return 1;
  ranks = *size;
  peers = calloc((size_t)ranks, sizeof *peers);
  if (!peers) abort();
  for (int r = 0; r < ranks; ++r) {
    peers[r].coming = MPI_REQUEST_NULL;
    for (int i = 0; i < SLOTS; ++i) peers[r].request[i] = MPI_REQUEST_NULL;
  }
  return 0;
}

/* Gives what rank 0 has in `data` to all. */
int kumi_mpi_share(void* data, int bytes) {
  return failed(MPI_Bcast(data, bytes, MPI_BYTE, 0, comm));
}

/* Of a run that has ended well in all ranks. */
int kumi_mpi_finish(void) { return failed(MPI_Finalize()); }

/* Ends the process, whose other threads may run, with the handlers of exit(): in one of them MPICH
   tells its launcher that the end was meant; else that kills the ranks which end a little later. */
void kumi_mpi_exit(int code) { exit(code); }

static int settle(peer_t* p) {
  while (p->busy) {
    int done = 0;
    if (failed(MPI_Test(&p->request[(p->next - p->busy) % SLOTS], &done, MPI_STATUS_IGNORE))) {
      return 1;
    }
    if (!done) break;
    --p->busy;
  }
  return 0;
}

/* Whether messages to a rank are still on their way out. */
int kumi_mpi_leaving(int rank) { return peers[rank].busy != 0; }

/* Bytes that were taken, or -1. */
long kumi_mpi_write(int rank, const void* data, unsigned long bytes) {
  peer_t* p = &peers[rank];
  if (settle(p)) return -1;
  if (p->busy == SLOTS || bytes == 0) return 0;
  const unsigned at = p->next % SLOTS;
  const int n = bytes < SLOT_BYTES ? (int)bytes : SLOT_BYTES;
  if (!p->slot[at]) p->slot[at] = malloc(SLOT_BYTES);
  if (!p->slot[at]) abort();
  memcpy(p->slot[at], data, (size_t)n);
  if (failed(MPI_Isend(p->slot[at], n, MPI_BYTE, rank, 0, comm, &p->request[at]))) return -1;
  ++p->next;
  ++p->busy;
  return n;
}

/* Begins to receive a message; 1 when one is whole, 0 when there is none, -1. */
static int receive(int rank, peer_t* p) {
  int here = 0;
  if (p->coming == MPI_REQUEST_NULL) {
    MPI_Status status;
    if (failed(MPI_Iprobe(rank, 0, comm, &here, &status))) return -1;
    if (!here) return 0;
    if (failed(MPI_Get_count(&status, MPI_BYTE, &p->in_bytes))) return -1;
    if (!p->in) p->in = malloc(SLOT_BYTES);
    if (!p->in) abort();
    p->in_at = 0;
    if (failed(MPI_Irecv(p->in, p->in_bytes, MPI_BYTE, rank, 0, comm, &p->coming))) return -1;
  }
  if (failed(MPI_Test(&p->coming, &here, MPI_STATUS_IGNORE))) return -1;
  if (!here) return 0;
  p->coming = MPI_REQUEST_NULL;
  return 1;
}

/* Bytes that were there, or -1. */
long kumi_mpi_read(int rank, void* to, unsigned long most) {
  peer_t* p = &peers[rank];
  if (settle(p)) return -1;
  if (p->in_at == p->in_bytes || p->coming != MPI_REQUEST_NULL) {
    const int got = receive(rank, p);
    if (got <= 0) return got;
  }
  const unsigned long left = (unsigned long)(p->in_bytes - p->in_at);
  const unsigned long n = left < most ? left : most;
  memcpy(to, p->in + p->in_at, n);
  p->in_at += (int)n;
  return (long)n;
}
