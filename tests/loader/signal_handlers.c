/* Two SIGINT handlers as a library may install them: each counts its calls, then calls the handler
 * it replaced. */
#include <signal.h>

typedef void (*Handler)(int);

static volatile int calls[2];
static Handler replaced[2];

static void first(int number) {
  ++calls[0];
  replaced[0](number);
}

static void second(int number) {
  ++calls[1];
  replaced[1](number);
}

void install(int index) { replaced[index] = signal(SIGINT, index ? second : first); }
int calls_of(int index) { return calls[index]; }
