#include "transition.h"

#include <algorithm>
#include <cstring>

std::vector<Next> out;
const char* fail = nullptr;
size_t fail_at = 0;

void Emit(const St& s, const char* what, bool fault) { out.push_back({s, what, fault}); }

void Bad(const char* m) {
  if (fail) return;
  fail = m;
  fail_at = out.size();
}

static u8 Pos(const Rec& r, int e, int p) {
  if (bug[OFFSETS]) return std::min<int>(r.to[p], NR);
  if (bug[SCALAR]) return e;
  return r.cl[p] * 16 + e;
}

bool Applied(const St& s, int t, int w, int e) {
  const Rec& r = s.r[w][e];
  if (bug[SCALAR]) return s.t[t].p[0] >= e;
  int yes = 0, no = 0;
  for (int p = 0; p < NP; p++)
    if (r.in >> p & 1) (s.t[t].p[p] >= Pos(r, e, p) ? yes : no)++;
  if (yes && no && !bug[OFFSETS]) Bad("a record is applied for one partition and not for another");
  return yes > 0;
}

void Moved(St& s, int t) {
  if (SQL) memset(s.grec, 0, sizeof s.grec);
  for (Writer& w : s.w)
    if (w.ast && w.at == t) w.ok = 0;
}

void Commit(St& s, int t, int w, int e) {
  const Rec& r = s.r[w][e];
  Tab& table = s.t[t];
  if (t == 0 && ROLL) s.old = table;
  int h = Hi(s, w);
  if (s.slot[w][h] == 2 && e >= h) Bad("a sealed writer changed a table");
  if (s.del[w] >> e & 1) Bad("a commit names a file that was deleted");
  for (int p = 0; p < NP; p++)
    if (r.in >> p & 1) {
      for (int i = r.from[p]; i < r.to[p]; i++) {
        if (t == 0 && IsOff(i)) {
          if (++table.rows[p][i] > 1) Bad("duplicate row in bronze");
          if (!s.ever)
            for (int j = 0; j < i; j++)
              if (!table.rows[p][j]) Bad("bronze has a hole (rows lost)");
        }
        if (t == 1 && i >= NR && ++table.closed[p] > 1) Bad("duplicate closed row in gold");
        if (t == 1 && IsOff(i) && i % 2 == 0) {
          table.nhot[p] = bug[HOTNAME] && table.alien[p] ? table.nhot[p] + 1 : 1;
          table.alien[p] = 0;
          if (i + 1 < table.hot[p]) Bad("gold went back");
          table.hot[p] = i + 1;
          if (table.nhot[p] > 1) Bad("duplicate hot rows in gold");
        }
      }
      if (t == 1 && !s.ever)
        for (int i = 0; i < table.hot[p]; i++)
          if (!s.t[0].rows[p][i]) Bad("gold is ahead of bronze");
      if (!bug[SCALAR]) table.p[p] = Pos(r, e, p);
    }
  if (bug[SCALAR]) table.p[0] = e;
  if (bug[SNAPID]) table.snap |= 1ull << (w * ME + e);
  Moved(s, t);
}

void PutRecord(St& s, int w, int e) {
  s.slot[w][e] = 1;
  const Rec& r = s.r[w][e];
  if (s.rec_ever[w] >> e & 1) return;  // the same bytes came back after collection
  s.rec_ever[w] |= 1 << e;
  if (s.del[w] >> e & 1) Bad("a record names a file that was deleted");
  for (int v = 0; v < MW; v++)
    for (int x = 1; x < ME; x++)
      if ((v != w || x != e) && s.rec_ever[v] >> x & 1)
        for (int p = 0; p < NP; p++)
          if ((r.in & s.r[v][x].in) >> p & 1)
            if (std::max(r.from[p], s.r[v][x].from[p]) < std::min(r.to[p], s.r[v][x].to[p]))
              Bad("one offset decided twice");
}

void InOneTransaction(St& s, int w, int e) {
  for (int t = 0; SQL && t < 2; t++)
    if (Touches(s.r[w][e], t)) Commit(s, t, w, e);
}

void ClearApply(Writer& w) { w.ast = w.at = w.ae = w.aw = w.ok = w.unk = 0; }

void Die(St& s, int i) {
  Writer z;
  memset(&z, 0, sizeof z);
  s.w[i] = z;
}
