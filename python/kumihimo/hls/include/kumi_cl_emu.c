// SPDX-License-Identifier: Apache-2.0
//
// Runtime of emulated kernels: each kernel is a coroutine on a stack of its own, a channel a
// bounded queue. A kernel runs until a channel makes it wait; the next one that can go on follows.
// When none can, the run is over: all kernels have ended, or those that have not are deadlocked.
//
// One run at a time: emu_reset, emu_channel for each channel, emu_task for each kernel (and
// emu_items behind that of an NDRange kernel), emu_run, then emu_task_* and emu_words to look at
// the result. emu_run returns one of the RUN_* below. Work-items of a group are coroutines within
// their kernel's, which resumes them until the barrier. A kernel that divides by zero or leaves its
// memory ends the run; so does the time limit.
#undef _FORTIFY_SOURCE  // siglongjmp leaves a coroutine's stack, which the check takes for a
                        // mistake
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

enum { RUN_ENDED, RUN_DEADLOCK, RUN_TIME, RUN_DIVIDE, RUN_MEMORY };
enum { STACK_BYTES = 1 << 20, ITEM_STACK_BYTES = 1 << 17, IDLE_POLLS = 100000 };

typedef struct {
  const void* at;
  int bytes;
  long depth;  // words; -1: without limit
  uint8_t* words;
  long head, count, room;
} queue_t;

typedef struct {
  ucontext_t context;
  void* stack;
  bool ended;
} item_t;

typedef struct {
  ucontext_t context;
  void* stack;
  void (*entry)(void*);
  void* args;
  int unit[3];  // place among the kernel's compute units
  bool background, ended;
  queue_t* waits;  // channel that it waits for, 0: it can run
  bool writes;
  int line;
  // of an NDRange kernel
  int dims;  // 0: it is a single work-item
  uint32_t global[3], local[3], group[3];
  int item;  // that runs, x first
  item_t* items;
  ucontext_t between;  // work-items
} task_t;

static queue_t* queues;
static task_t* tasks;
static int queue_count, task_count, current;
static long polls;  // non-blocking accesses that failed since anything moved
static ucontext_t scheduler;
static sigjmp_buf broken;

void emu_reset(void) {
  for (int i = 0; i < queue_count; i++) free(queues[i].words);
  for (int i = 0; i < task_count; i++) free(tasks[i].stack);
  free(queues);
  free(tasks);
  queues = 0;
  tasks = 0;
  queue_count = task_count = 0;
}

static queue_t* find(const volatile void* at) {
  for (int i = 0; i < queue_count; i++)
    if (queues[i].at == (const void*)at) return &queues[i];
  abort();  // every channel of the file has been declared
}

static void grow(queue_t* q) {
  if (q->count < q->room) return;
  long room = q->room ? 2 * q->room : 16;
  uint8_t* words = malloc((size_t)room * (size_t)q->bytes);
  for (long i = 0; i < q->count; i++)
    memcpy(words + i * q->bytes, q->words + (q->head + i) % q->room * q->bytes, (size_t)q->bytes);
  free(q->words);
  q->words = words;
  q->head = 0;
  q->room = room;
}

static void push(queue_t* q, const void* word) {
  grow(q);
  memcpy(q->words + (q->head + q->count) % q->room * q->bytes, word, (size_t)q->bytes);
  q->count++;
  polls = 0;
}

static void pop(queue_t* q, void* word) {
  memcpy(word, q->words + q->head * q->bytes, (size_t)q->bytes);
  q->head = (q->head + 1) % q->room;
  q->count--;
  polls = 0;
}

static bool full(const queue_t* q) { return q->depth >= 0 && q->count >= q->depth; }

void emu_channel(const void* at, int bytes, long depth, const uint8_t* words, long count) {
  queues = realloc(queues, (size_t)(queue_count + 1) * sizeof *queues);
  queue_t* q = &queues[queue_count++];
  *q = (queue_t){.at = at, .bytes = bytes, .depth = depth};
  for (long i = 0; i < count; i++) push(q, words + i * bytes);
}

void emu_task(void (*entry)(void*), void* args, int background, int x, int y, int z) {
  tasks = realloc(tasks, (size_t)(task_count + 1) * sizeof *tasks);
  tasks[task_count++] =
      (task_t){.entry = entry, .args = args, .unit = {x, y, z}, .background = background != 0};
}

void emu_items(int dims, const uint32_t* sizes) {
  task_t* t = &tasks[task_count - 1];
  t->dims = dims;
  for (int i = 0; i < 3; i++) t->global[i] = sizes[i], t->local[i] = sizes[3 + i];
}

static void leave(void) { swapcontext(&tasks[current].context, &scheduler); }

void __kumi_emu_barrier(void) {
  task_t* t = &tasks[current];
  if (t->dims) swapcontext(&t->items[t->item].context, &t->between);
}

uint64_t __kumi_item(uint32_t what, uint32_t dim) {
  const task_t* t = &tasks[current];
  uint32_t d = dim < 3 ? dim : 2, l[3] = {t->local[0], t->local[1], t->local[2]};
  uint64_t at[3] = {t->item % l[0], t->item / l[0] % l[1], t->item / l[0] / l[1]};
  uint64_t of[8] = {(uint64_t)t->group[d] * l[d] + at[d],
                    at[d],
                    t->group[d],
                    t->global[d],
                    l[d],
                    t->global[d] / l[d],
                    0,
                    (uint64_t)t->dims};
  return of[what];
}

static void start_item(void) {
  task_t* t = &tasks[current];
  t->entry(t->args);
  t = &tasks[current];
  t->items[t->item].ended = true;
  swapcontext(&t->items[t->item].context, &t->between);
}

static void run_group(task_t* t, int count) {
  for (int i = 0; i < count; i++) {
    item_t* item = &t->items[i];
    item->ended = false;
    getcontext(&item->context);
    item->context.uc_stack.ss_sp = item->stack;
    item->context.uc_stack.ss_size = ITEM_STACK_BYTES;
    makecontext(&item->context, start_item, 0);
  }
  for (int left = count; left > 0;) {
    for (t->item = 0; t->item < count; t->item++) {
      if (t->items[t->item].ended) continue;
      swapcontext(&t->between, &t->items[t->item].context);
      left -= t->items[t->item].ended;
    }
  }
}

static void run_groups(task_t* t) {
  int count = (int)(t->local[0] * t->local[1] * t->local[2]);
  t->items = calloc((size_t)count, sizeof *t->items);
  for (int i = 0; i < count; i++) t->items[i].stack = malloc(ITEM_STACK_BYTES);
  uint32_t* g = t->group;
  for (g[2] = 0; g[2] < t->global[2] / t->local[2]; g[2]++)
    for (g[1] = 0; g[1] < t->global[1] / t->local[1]; g[1]++)
      for (g[0] = 0; g[0] < t->global[0] / t->local[0]; g[0]++) run_group(t, count);
  for (int i = 0; i < count; i++) free(t->items[i].stack);
  free(t->items);
}

static void start(void) {
  task_t* t = &tasks[current];
  if (t->dims)
    run_groups(t);
  else
    t->entry(t->args);
  tasks[current].ended = true;
  leave();
}

void __kumi_emu_read(const volatile void* ch, void* word, int bytes, int line) {
  (void)bytes;
  queue_t* q = find(ch);
  while (q->count == 0) {
    task_t* t = &tasks[current];
    t->waits = q;
    t->writes = false;
    t->line = line;
    leave();
  }
  pop(q, word);
}

void __kumi_emu_write(const volatile void* ch, const void* word, int bytes, int line) {
  (void)bytes;
  queue_t* q = find(ch);
  while (full(q)) {
    task_t* t = &tasks[current];
    t->waits = q;
    t->writes = true;
    t->line = line;
    leave();
  }
  push(q, word);
}

unsigned __kumi_emu_unit(unsigned dim) { return (unsigned)tasks[current].unit[dim < 3 ? dim : 2]; }

static bool tried(bool good) {
  if (!good) {
    polls++;
    leave();
  }
  return good;
}

_Bool __kumi_emu_try_read(const volatile void* ch, void* word, int bytes, int line) {
  (void)line;
  queue_t* q = find(ch);
  bool good = q->count > 0;
  if (good)
    pop(q, word);
  else
    memset(word, 0, (size_t)bytes);
  return tried(good);
}

_Bool __kumi_emu_try_write(const volatile void* ch, const void* word, int bytes, int line) {
  (void)bytes;
  (void)line;
  queue_t* q = find(ch);
  bool good = !full(q);
  if (good) push(q, word);
  return tried(good);
}

static void on_signal(int number) {
  siglongjmp(broken, number == SIGALRM ? RUN_TIME : number == SIGFPE ? RUN_DIVIDE : RUN_MEMORY);
}

static bool ready(const task_t* t) {
  if (t->ended) return false;
  if (!t->waits) return true;
  return t->writes ? !full(t->waits) : t->waits->count > 0;
}

static int schedule(void) {
  for (;;) {
    bool ran = false, wanted = false;
    for (current = 0; current < task_count; current++) {
      task_t* t = &tasks[current];
      if (ready(t)) {
        t->waits = 0;
        ran = true;
        swapcontext(&scheduler, &t->context);
      }
      wanted |= !tasks[current].ended && !tasks[current].background;
    }
    if (!ran) return wanted ? RUN_DEADLOCK : RUN_ENDED;
    if (!wanted && polls > IDLE_POLLS) return RUN_ENDED;
  }
}

int emu_run(double seconds) {
  static const int signals[] = {SIGALRM, SIGFPE, SIGSEGV, SIGBUS};
  struct sigaction old[4], mine = {.sa_handler = on_signal, .sa_flags = SA_NODEFER};
  for (int i = 0; i < task_count; i++) {
    task_t* t = &tasks[i];
    t->stack = malloc(STACK_BYTES);
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = t->stack;
    t->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&t->context, start, 0);
  }
  for (int i = 0; i < 4; i++) sigaction(signals[i], &mine, &old[i]);
  struct itimerval limit = {.it_value = {(time_t)seconds, (suseconds_t)(seconds * 1e6) % 1000000}};
  struct itimerval none = {0};
  polls = 0;
  int result = sigsetjmp(broken, 1);
  if (result == 0) {
    setitimer(ITIMER_REAL, &limit, 0);
    result = schedule();
  }
  setitimer(ITIMER_REAL, &none, 0);
  for (int i = 0; i < 4; i++) sigaction(signals[i], &old[i], 0);
  return result;
}

int emu_current(void) { return current; }
int emu_task_ended(int i) { return tasks[i].ended; }
int emu_task_line(int i) { return tasks[i].waits ? tasks[i].line : 0; }
int emu_task_writes(int i) { return tasks[i].writes; }
const void* emu_task_channel(int i) { return tasks[i].waits ? tasks[i].waits->at : 0; }
long emu_count(const void* at) { return find(at)->count; }

void emu_words(const void* at, uint8_t* out) {
  queue_t* q = find(at);
  while (q->count > 0) {
    pop(q, out);
    out += q->bytes;
  }
}
