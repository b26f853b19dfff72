#pragma once
// The steps of a writer, by its two threads. Each adds the states that it can lead to to `out`.
#include "transition.h"

void StepMain(const St& s, int i);   // list, seal, claim, build and put records
void StepApply(const St& s, int i);  // records into tables, its own or its predecessor's
