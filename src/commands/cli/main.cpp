// warplens: the command line.
#include "cli/cli.h"

int main(int argc, char** argv) { return warplens::cli::run_command_line(argc, argv); }
