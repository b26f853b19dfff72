#include "app/program.h"

int main(int argc, char** argv) { return weir::app::RunProgram(argc, argv); }
