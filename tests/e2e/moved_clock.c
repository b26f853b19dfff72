// The wall clock of a process, moved while it runs: preloaded, it adds the seconds that the file
// $MOVED_CLOCK holds to CLOCK_REALTIME. It allocates nothing and looks nothing up, so it gets along
// with any allocator and sanitizer.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long moved_by(void) {
  const char* path = getenv("MOVED_CLOCK");
  const int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[32];
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  text[length < 0 ? 0 : length] = '\0';
  return atol(text);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  const long failed = syscall(SYS_clock_gettime, clock, now);
  if (failed == 0 && clock == CLOCK_REALTIME) now->tv_sec += moved_by();
  return (int)failed;
}
