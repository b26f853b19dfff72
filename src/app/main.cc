#include "base/fail_point.h"

int main() {
  weir::ArmFailPoints();
  return 0;
}
