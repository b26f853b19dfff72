#pragma once
// The steps of everything but the writers: crashes, starts, late answers, collection, other actors.
#include "transition.h"

void Environment(const St& s);  // adds the states that they can lead to to `out`
