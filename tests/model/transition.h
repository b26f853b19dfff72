#pragma once
// What steps do to a state, with the invariants that are checked on the way, and the states that a
// step leads to. One search at a time: the results stand in globals.
#include <vector>

#include "protocol_state.h"

struct Next {
  St s;
  const char* what;
  bool fault;
};
extern std::vector<Next> out;  // of the steps since it was cleared
extern const char* fail;       // the invariant that a step broke, or null
extern size_t fail_at;         // the place in `out` of the step that broke it

void Emit(const St& s, const char* what, bool fault = false);
void Bad(const char* m);

bool Applied(const St& s, int t, int w, int e);
void Moved(St& s, int t);  // table t has a new version: whoever loaded the old one loses
void Commit(St& s, int t, int w, int e);
void PutRecord(St& s, int w, int e);         // the slot is free: the record becomes history
void InOneTransaction(St& s, int w, int e);  // -sql 1: the record carries both tables with it
void ClearApply(Writer& w);
void Die(St& s, int i);
