#include "app/program.h"

// jemalloc reads it at start. Columns of an epoch grow beyond 8 MiB again and again; by default
// memory of that size goes back to the system whenever it is freed, and is faulted in anew.
extern "C" {
const char* malloc_conf = "oversize_threshold:0";  // NOLINT: the name and the type are jemalloc's
}

int main(int argc, char** argv) { return weir::app::RunProgram(argc, argv); }
